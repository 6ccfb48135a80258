"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { roleOptions } from "./people-table.tsx";
import { ShownOnce } from "./shown-once.tsx";

const words: Record<Role, string> = {
  viewer: "Sees triggers, deliveries and runs, including payloads.",
  operator: "Also starts, cancels and replays runs, and sees webhook URLs with their keys.",
  admin: "Also manages people, keys and tokens, and reads the audit log.",
};

export function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: () => void }) {
  const trpc = useTRPC();
  const [note, setNote] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useMutation(trpc.invitations.create.mutationOptions({ onSuccess: onInvited }));
  if (invite.data) {
    return (
      <ShownOnce
        title="Invitation link"
        note="Send this link to the person yourself. It creates one account, expires after 7 days, and is not shown again."
        secret={invite.data.url}
        onClose={onClose}
      />
    );
  }
  const footer = (
    <Button type="submit" form="invite" tone="primary" disabled={invite.isPending} aria-busy={invite.isPending}>
      Create link
    </Button>
  );
  return (
    <Dialog title="Invite a person" isOpen onClose={onClose} footer={footer}>
      <form
        id="invite"
        onSubmit={(event) => {
          event.preventDefault();
          invite.mutate({ role, note });
        }}
        className="grid gap-4"
      >
        <TextInput
          label="Name or note"
          maxLength={100}
          value={note}
          onChange={(event) => setNote(event.target.value)}
          placeholder="Ada, on call"
        />
        <div>
          <Segmented<Role> label="Role" value={role} options={roleOptions} onChange={setRole} />
          <p className="mt-2 text-s text-ink-2">{words[role]}</p>
        </div>
        {invite.error && <ErrorNote error={invite.error} what="The invitation was not created" />}
      </form>
    </Dialog>
  );
}
