import { z } from "zod";
import { removePreset } from "../../presets/remove-preset.ts";
import { procedure } from "../trpc.ts";

export const presetsRemove = procedure
  .input(z.strictObject({ id: z.string() }))
  .mutation(({ ctx, input }) => removePreset(ctx, input.id));
