import type { KeyRow } from "./key-shapes.ts";

/**
 * What a key's row says (UTC milliseconds) once `next` follows it: it works until `endsAt`, or until its own end where
 * that is sooner. `null`: it has ended, or another follows it already.
 */
export function endKey(
  key: Pick<KeyRow, "expiresAt" | "revokedAt" | "replacedBy">,
  p: { next: { id: string }; endsAt: number; now: number },
): { expiresAt: number; replacedBy: string } | null {
  if (key.revokedAt !== null || key.replacedBy !== null || (key.expiresAt !== null && key.expiresAt <= p.now))
    return null;
  return { expiresAt: Math.min(key.expiresAt ?? p.endsAt, p.endsAt), replacedBy: p.next.id };
}
