import type { Listed } from "../server/contract/listed.ts";
export type Wrong = Listed;
