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
  { value: "0", label: "not at all" },
  { value: "3600", label: "for an hour" },
  { value: "86400", label: "for a day" },
  { value: "604800", label: "for 7 days" },
  { value: "2592000", label: "for 30 days" },
] as const;

type Overlap = (typeof overlaps)[number]["value"];

/** Puts a new key in the place of one, which still opens for a while, so that whoever bears it can change over. */
export function RotateDialog({ old, onClose, onRotated }: { old: Key; onClose: () => void; onRotated: () => void }) {
  const trpc = useTRPC();
  const [overlap, setOverlap] = useState<Overlap>("86400");
  const rotate = useMutation(trpc.keys.rotate.mutationOptions({ onSuccess: onRotated }));
  const isToken = old.kind === "api";
  if (rotate.data) {
    const { key, old: ended } = rotate.data;
    const until =
      overlap === "0" || ended.expiresAt === null
        ? "The old one has ended."
        : `The old one works until ${formatUtc(ended.expiresAt)}.`;
    const keep = isToken
      ? "Keep it now: only its hash is stored, and it is never shown again."
      : "Give it to the sender. An admin can look at it again.";
    return (
      <ShownOnce
        title={isToken ? "The new API token" : "The new webhook key"}
        note={`${until} ${keep}`}
        secret={key.secret}
        onClose={onClose}
      />
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Do nothing</Button>
      <Button
        tone="primary"
        disabled={rotate.isPending}
        aria-busy={rotate.isPending}
        onClick={() => rotate.mutate({ id: old.id, overlapSeconds: Number(overlap) })}
      >
        Rotate
      </Button>
    </>
  );
  return (
    <Dialog title={`Rotate ${old.name}?`} isOpen onClose={onClose} footer={footer}>
      <p className="text-ink-2">
        A new {isToken ? "token" : "key"} takes its place, with the same name, {isToken ? "scope" : "endpoints"} and
        length of life. Until whoever uses it has changed over, both work.
      </p>
      <div className="mt-4 flex items-center gap-2">
        <span className="text-s font-medium text-ink-2">The old one still works</span>
        <Choice<Overlap> label="The old one still works" value={overlap} options={overlaps} onChange={setOverlap} />
      </div>
      {rotate.error && <ErrorNote error={rotate.error} what="It was not rotated" />}
    </Dialog>
  );
}
