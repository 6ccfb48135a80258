/**
 * `feed` follows the deliveries. `read` also reads everything else but keys and people. `operate` also starts, cancels,
 * resumes and replays runs. `admin` also manages keys and people. Each includes the previous one.
 */
export const scopes = ["feed", "read", "operate", "admin"] as const;

export type Scope = (typeof scopes)[number];

export function includesScope(held: Scope, needed: Scope): boolean {
  return scopes.indexOf(held) >= scopes.indexOf(needed);
}
