import { z } from "zod";
import { presetSubjectSchema } from "../../contract/preset.ts";
import { parseJsonText } from "../../domain/json-text.ts";
import { savePreset } from "../../presets/save-preset.ts";
import { procedure } from "../trpc.ts";
import { jsonText } from "./json-text.ts";

const input = z.strictObject({ subject: presetSubjectSchema, name: z.string().trim().min(1).max(100), text: jsonText });

/** Keeps a body or an input under a name; an older preset of that name gives way. */
export const presetsSave = procedure
  .input(input)
  .mutation(({ ctx, input: { text, ...preset } }) =>
    savePreset(ctx, { ...preset, value: parseJsonText(text, ctx.maxBodyBytes) }),
  );
