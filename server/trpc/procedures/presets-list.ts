import { z } from "zod";
import { presetSubjectSchema } from "../../contract/preset.ts";
import { procedure } from "../trpc.ts";

export const presetsList = procedure
  .input(z.strictObject({ subject: presetSubjectSchema }))
  .query(({ ctx, input }) => ctx.store.listPresets(input.subject));
