import { procedure } from "../trpc.ts";

/** Why the newest build is not in force; `null`: it is. Only `signalbox dev` reports it. */
export const projectFailedBuild = procedure.query(({ ctx }) => ctx.project.failedBuild?.() ?? null);
