import { z } from "zod";
import { scopeSchema } from "./scope.ts";

/** `webhook` keys open `POST /triggers/...`; `api` tokens open `/api/v1`. */
export const keyKindSchema = z.enum(["webhook", "api"]);

export const keySchema = z.object({
  id: z.string(),
  kind: keyKindSchema,
  name: z.string(),
  /** The first characters, enough to tell keys apart. Never the key. */
  hint: z.string(),
  /** The endpoints that a webhook key opens; `null` opens all. */
  endpoints: z.array(z.string()).nullable(),
  /** What an API token may do; `null` for webhook keys. */
  scope: scopeSchema.nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  /** The key that took its place when it was rotated. */
  replacedBy: z.string().nullable(),
  /**
   * The person whose API token it is: it never does more than they may. `null`: nobody's, as it was made on the
   * machine.
   */
  ownerId: z.string().nullable(),
});

export type KeyKind = z.infer<typeof keyKindSchema>;
export type Key = z.infer<typeof keySchema>;
