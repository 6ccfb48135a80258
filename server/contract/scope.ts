import { z } from "zod";

/**
 * What somebody may do: `read` looks, `operate` also starts, stops and repeats, `admin` also decides about keys and
 * people. Each holds those before it.
 */
export const scopeSchema = z.enum(["read", "operate", "admin"]);

export type Scope = z.infer<typeof scopeSchema>;

export function holdsScope(held: Scope, needed: Scope): boolean {
  return scopeSchema.options.indexOf(held) >= scopeSchema.options.indexOf(needed);
}
