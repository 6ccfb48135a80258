"use client";

import type { Key } from "../../server/contract/key.ts";
import { RelativeTime } from "../ui/relative-time.tsx";

export function stateOf({ revokedAt, expiresAt }: Key, now: number): "valid" | "revoked" | "expired" {
  if (revokedAt) return "revoked";
  return expiresAt && Date.parse(expiresAt) <= now ? "expired" : "valid";
}

interface Props {
  keyOf: Key;
  /** What took its place when it was rotated. */
  next: Key | undefined;
  now: number;
}

/** Whether it opens, until when, and what took its place. */
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
  // After a rotation the end is near and wanted: until then both keys open.
  const words = {
    valid: keyOf.replacedBy === null ? "valid, expires" : "still valid, ends",
    expired: keyOf.replacedBy === null ? "expired" : "ended",
    revoked: "revoked",
  }[state];
  return (
    <span className={state === "valid" ? (keyOf.replacedBy === null ? "text-ok" : "text-wait") : "text-ink-3"}>
      {words} <RelativeTime iso={keyOf.expiresAt} />
    </span>
  );
}
