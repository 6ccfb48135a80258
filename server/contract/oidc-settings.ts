import { z } from "zod";
import { roleSchema } from "./person.ts";

/** A domain of e-mail addresses, without the at sign. */
const domainSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "Must be a domain of e-mail addresses, e.g. example.com");

/** Signing in by OpenID Connect, beside passwords. */
export const oidcSettingsSchema = z.strictObject({
  /** Where `/.well-known/openid-configuration` is found. */
  issuer: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** Whose verified addresses may come in. There is no "all": at a public provider that would be everybody. */
  domains: z.array(domainSchema).min(1).max(100),
  /** Of those who come for the first time. */
  role: roleSchema.optional(),
  /** On the button: "Sign in with …". */
  name: z.string().trim().min(1).max(40).optional(),
});
