import { z } from "zod";

/** That a trigger is switched off, since when and why. */
export const disabledSchema = z.object({
  at: z.iso.datetime(),
  /** In the words of who did it. */
  reason: z.string().nullable(),
});

export type Disabled = z.infer<typeof disabledSchema>;

/** As it may be given. */
export const switchReason = z.string().trim().min(1).max(200);

/** The triggers that are switched off, by slug. */
export type DisabledTriggers = ReadonlyMap<string, Disabled>;

export const noneDisabled: DisabledTriggers = new Map();
