import { listTriggers } from "../../triggers/list-triggers.ts";
import { procedure } from "../trpc.ts";

export const triggersList = procedure.query(({ ctx }) => listTriggers(ctx));
