import { z } from "zod";
import { scopes } from "./scope.ts";

export const scopeSchema = z.enum(scopes);

/** `webhook` keys open `POST /triggers/...`; `api` tokens open `/api/v1`. */
export const keyKindSchema = z.enum(["webhook", "api"]);

export const keySchema = z.object({
  id: z.string(),
  kind: keyKindSchema,
  name: z.string(),
  /** The first characters, enough to recognize a key. Never the whole key. */
  hint: z.string(),
  /** The endpoints that a webhook key opens; `null` opens all. */
  endpoints: z.array(z.string()).nullable(),
  /** What an API token may do; `null` for webhook keys. */
  scope: scopeSchema.nullable(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime().nullable(),
  lastUsedAt: z.iso.datetime().nullable(),
  revokedAt: z.iso.datetime().nullable(),
  /** The key that replaced this one when it was rotated. */
  replacedBy: z.string().nullable(),
  /** The owner of the API token, whose role limits it. `null`: no owner, because it was created on the machine. */
  ownerId: z.string().nullable(),
});

export type KeyKind = z.infer<typeof keyKindSchema>;
export type Key = z.infer<typeof keySchema>;
