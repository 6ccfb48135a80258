import { z } from "zod";

/**
 * `feed` follows the deliveries. `read` also reads everything else but keys and people. `operate` also starts, cancels,
 * resumes and replays runs. `admin` also manages keys and people. Each includes the previous one.
 */
export const scopeSchema = z.enum(["feed", "read", "operate", "admin"]);

export type Scope = z.infer<typeof scopeSchema>;

export function includesScope(held: Scope, needed: Scope): boolean {
  return scopeSchema.options.indexOf(held) >= scopeSchema.options.indexOf(needed);
}
