import { z } from "zod";
import { presetSubjectSchema } from "../../contract/preset.ts";
import { parseJsonText } from "../../domain/requests/request-body.ts";
import { removePreset, savePreset } from "../../presets/presets.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText } from "./input-schemas.ts";

export const presetsRouter = router({
  list: procedure("listPresets")
    .input(z.strictObject({ subject: presetSubjectSchema }))
    .query(({ ctx, input }) => ctx.store.listPresets(input.subject)),

  /** Saves a body or an input under a name. Replaces a preset with the same name. */
  save: procedure("savePreset")
    .input(z.strictObject({ subject: presetSubjectSchema, name: z.string().trim().min(1).max(100), text: jsonText }))
    .mutation(({ ctx, input: { text, ...preset } }) =>
      savePreset(ctx, { ...preset, value: parseJsonText(text, ctx.maxBodyBytes) }),
    ),

  remove: procedure("removePreset")
    .input(z.strictObject({ id: z.string() }))
    .mutation(({ ctx, input }) => removePreset(ctx, input.id)),
});
