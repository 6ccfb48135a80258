import { z } from "zod";

/** That a trigger is disabled, since when and why. */
export const disabledSchema = z.object({
  at: z.iso.datetime().describe("When the trigger was disabled."),
  reason: z.string().nullable().describe("The reason, as a person gave it. `null`: none was given."),
});

export type Disabled = z.infer<typeof disabledSchema>;

/** As it may be given. */
export const switchReason = z.string().trim().min(1).max(200);

/** The disabled triggers, by slug. */
export type DisabledTriggers = ReadonlyMap<string, Disabled>;

export const noneDisabled: DisabledTriggers = new Map();
