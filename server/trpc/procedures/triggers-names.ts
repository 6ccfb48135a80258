import { listNames } from "../../triggers/list-names.ts";
import { procedure } from "../trpc.ts";

export const triggersNames = procedure.query(({ ctx }) => listNames(ctx));
