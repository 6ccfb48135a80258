"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Key } from "../../server/contract/key.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ShownOnce } from "./shown-once.tsx";
import { formatUtc } from "../../server/domain/format.ts";

/** In seconds. */
const overlaps = [
  { value: "0", label: "immediately" },
  { value: "3600", label: "in 1 hour" },
  { value: "86400", label: "in 1 day" },
  { value: "604800", label: "in 7 days" },
  { value: "2592000", label: "in 30 days" },
] as const;

type Overlap = (typeof overlaps)[number]["value"];

/** Replaces a key with a new one. The old key stays valid for a while, so that the sender can switch. */
export function RotateDialog({ old, onClose, onRotated }: { old: Key; onClose: () => void; onRotated: () => void }) {
  const trpc = useTRPC();
  const [overlap, setOverlap] = useState<Overlap>("86400");
  const rotate = useMutation(trpc.keys.rotate.mutationOptions({ onSuccess: onRotated }));
  const isToken = old.kind === "api";
  const noun = isToken ? "token" : "key";
  if (rotate.data) {
    const { key, old: ended } = rotate.data;
    const until =
      overlap === "0" || ended.expiresAt === null
        ? `The old ${noun} no longer works.`
        : `The old ${noun} works until ${formatUtc(ended.expiresAt)}.`;
    const keep = isToken
      ? "Copy it now. Only its hash is stored, and it is never shown again."
      : "Send it to the sender. An admin can view it again.";
    return (
      <ShownOnce
        title={isToken ? "New API token" : "New webhook key"}
        note={`${until} ${keep}`}
        secret={key.secret}
        onClose={onClose}
      />
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Go back</Button>
      <Button
        tone="primary"
        disabled={rotate.isPending}
        aria-busy={rotate.isPending}
        onClick={() => rotate.mutate({ id: old.id, overlapSeconds: Number(overlap) })}
      >
        Rotate {noun}
      </Button>
    </>
  );
  return (
    <Dialog title={`Rotate ${old.name}?`} isOpen onClose={onClose} footer={footer}>
      <p className="text-ink-2">
        A new {noun} replaces it, with the same name, {isToken ? "scope" : "endpoints"} and lifetime. Both work until
        the old {noun} expires.
      </p>
      <div className="mt-4 flex items-center gap-2">
        <span className="text-s font-medium text-ink-2">Old {noun} expires</span>
        <Choice<Overlap> label={`Old ${noun} expires`} value={overlap} options={overlaps} onChange={setOverlap} />
      </div>
      {rotate.error && <ErrorNote error={rotate.error} what={`The ${noun} was not rotated`} />}
    </Dialog>
  );
}
