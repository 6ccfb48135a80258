import { z } from "zod";

const segment = "[a-z0-9]+(?:-[a-z0-9]+)*";

/** A slug: lower-case letters and digits, in groups joined by single hyphens, at most 64 characters. */
export const slugSchema = z
  .string()
  .max(64)
  .regex(new RegExp(`^${segment}$`));

/** An endpoint: one or more slug segments joined by `/`, e.g. `billing` or `github/ci`. */
export const endpointSchema = z
  .string()
  .max(256)
  .regex(new RegExp(`^${segment}(?:/${segment})*$`));
