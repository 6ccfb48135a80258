"use client";

import { useMutation } from "@tanstack/react-query";
import type { Person } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** A link for somebody who forgot their password. */
export function ResetDialog({ person, onClose, onMade }: { person: Person; onClose: () => void; onMade: () => void }) {
  const trpc = useTRPC();
  const make = useMutation(trpc.people.makeResetLink.mutationOptions({ onSuccess: onMade }));
  if (make.data) {
    return (
      <ShownOnce
        title="The reset link"
        note={`Pass this link on to ${person.name} yourself. It sets a new password once, within an hour, and is not shown again.`}
        secret={make.data.url}
        onClose={onClose}
      />
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Do nothing</Button>
      <Button
        tone="primary"
        data-autofocus=""
        disabled={make.isPending}
        aria-busy={make.isPending}
        onClick={() => make.mutate({ id: person.id })}
      >
        Make the link
      </Button>
    </>
  );
  return (
    <Dialog title={`A new password for ${person.name}?`} isOpen onClose={onClose} footer={footer}>
      <p className="text-ink-2">
        You get a link by which {person.email} chooses a new password. The present one works until then; when the link
        is used, all of their sessions end. Links made for them before end now.
      </p>
      {make.error && <ErrorNote error={make.error} what="The link was not made" />}
    </Dialog>
  );
}
