import type { first } from "./first.ts";
export const second = (): number => (0 as unknown as typeof first)().valueOf();
