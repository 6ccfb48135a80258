import { targetSchema } from "../../contract/target.ts";
import { getTarget } from "../../runs/get-target.ts";
import { procedure } from "../trpc.ts";

export const targetsGet = procedure.input(targetSchema.strict()).query(({ ctx, input }) => getTarget(ctx, input));
