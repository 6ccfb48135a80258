import type { Key, KeyKind } from "../../contract/access/key.ts";
import type { Scope } from "../../contract/access/scope.ts";
import { toIso, toIsoOrNull } from "./iso-time.ts";

export interface KeyRow {
  id: string;
  kind: KeyKind;
  name: string;
  hint: string;
  endpoints: string[] | null;
  scope: Scope | null;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
  replacedBy: string | null;
  ownerId: string | null;
}

export function toKey(row: KeyRow): Key {
  const { id, kind, name, hint, endpoints } = row;
  return {
    id,
    kind,
    name,
    hint,
    endpoints,
    scope: kind === "api" ? row.scope : null,
    createdAt: toIso(row.createdAt),
    expiresAt: toIsoOrNull(row.expiresAt),
    lastUsedAt: toIsoOrNull(row.lastUsedAt),
    revokedAt: toIsoOrNull(row.revokedAt),
    replacedBy: row.replacedBy,
    ownerId: row.ownerId,
  };
}
