"use client";

import type { Key } from "../../server/contract/access/key.ts";
import { RelativeTime } from "../ui/time.tsx";

export function stateOf({ revokedAt, expiresAt }: Key, now: number): "valid" | "revoked" | "expired" {
  if (revokedAt) return "revoked";
  return expiresAt && Date.parse(expiresAt) <= now ? "expired" : "valid";
}

interface Props {
  keyOf: Key;
  /** The key that replaced it in a rotation. */
  next: Key | undefined;
  now: number;
}

/** Whether the key is valid, until when, and which key replaced it. */
export function KeyState({ keyOf, next, now }: Props) {
  return (
    <>
      <Validity keyOf={keyOf} now={now} />
      {keyOf.replacedBy !== null && (
        <span className="block text-s text-ink-3">
          replaced by <code>{next?.hint ?? keyOf.replacedBy}</code>
        </span>
      )}
    </>
  );
}

function Validity({ keyOf, now }: Pick<Props, "keyOf" | "now">) {
  const state = stateOf(keyOf, now);
  if (state === "revoked" && keyOf.revokedAt) {
    return (
      <span className="text-ink-3">
        revoked <RelativeTime iso={keyOf.revokedAt} />
      </span>
    );
  }
  if (keyOf.expiresAt === null) return <span className="text-ok">valid</span>;
  // After a rotation, both keys are valid until the old one expires.
  const words = {
    valid: keyOf.replacedBy === null ? "valid, expires" : "still valid, expires",
    expired: "expired",
    revoked: "revoked",
  }[state];
  return (
    <span className={state === "valid" ? (keyOf.replacedBy === null ? "text-ok" : "text-wait") : "text-ink-3"}>
      {words} <RelativeTime iso={keyOf.expiresAt} />
    </span>
  );
}
