"use client";

import { useMutation } from "@tanstack/react-query";
import type { Person } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** Creates a link that sets a new password. */
export function ResetDialog({ person, onClose, onMade }: { person: Person; onClose: () => void; onMade: () => void }) {
  const trpc = useTRPC();
  const make = useMutation(trpc.people.makeResetLink.mutationOptions({ onSuccess: onMade }));
  if (make.data) {
    return (
      <ShownOnce
        title="Reset link"
        note={`Send this link to ${person.name} yourself. It sets a new password once, expires after 1 hour, and is not shown again.`}
        secret={make.data.url}
        onClose={onClose}
      />
    );
  }
  const footer = (
    <>
      <Button onClick={onClose}>Go back</Button>
      <Button
        tone="primary"
        data-autofocus=""
        disabled={make.isPending}
        aria-busy={make.isPending}
        onClick={() => make.mutate({ id: person.id })}
      >
        Create link
      </Button>
    </>
  );
  return (
    <Dialog title={`Reset the password of ${person.name}?`} isOpen onClose={onClose} footer={footer}>
      <p className="text-ink-2">
        You get a link that lets {person.email} choose a new password. The current password works until then. Using the
        link ends all of their sessions. Earlier reset links for this person stop working now.
      </p>
      {make.error && <ErrorNote error={make.error} what="The link was not created" />}
    </Dialog>
  );
}
