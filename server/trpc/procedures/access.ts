import { procedure } from "../trpc.ts";

/** Answers who may see the project, and refuses all others: pages ask before they show anything. */
export const access = procedure.query(() => "granted" as const);
