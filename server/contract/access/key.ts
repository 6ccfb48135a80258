import { z } from "zod";
import { createdAt, id, name } from "../fields.ts";
import { scopes } from "./scope.ts";

export const scopeSchema = z.enum(scopes);

/** `webhook` keys open `POST /triggers/...`; `api` tokens open `/api/v1`. */
export const keyKindSchema = z.enum(["webhook", "api"]);

export const keySchema = z.object({
  id,
  kind: keyKindSchema.describe("`webhook` keys send webhooks, `api` tokens call this API."),
  name,
  hint: z.string().describe("The first characters of the key."),
  endpoints: z.array(z.string()).nullable().describe("The endpoints that a webhook key may send to. `null`: all."),
  scope: scopeSchema.nullable().describe("The scope of an API token. `null`: it is a webhook key."),
  createdAt,
  expiresAt: z.iso.datetime().nullable().describe("When it expires. `null`: never."),
  lastUsedAt: z.iso.datetime().nullable().describe("When it was last used. `null`: never."),
  revokedAt: z.iso.datetime().nullable().describe("When it was revoked. `null`: it was not."),
  replacedBy: z.string().nullable().describe("Id of the key that replaced it in a rotation. `null`: none did."),
  ownerId: z
    .string()
    .nullable()
    .describe("Id of the person who owns an API token, and whose role limits it. `null`: it has no owner."),
});

export type KeyKind = z.infer<typeof keyKindSchema>;
export type Key = z.infer<typeof keySchema>;
