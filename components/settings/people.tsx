"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { UserPlus } from "lucide-react";
import { useState } from "react";
import type { Role } from "../../server/contract/access/person.ts";
import { useAccess } from "../auth/access.tsx";
import { describeProblem } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { QueryPanel } from "../ui/states.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { Segmented } from "../ui/controls/choice.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/page-layout.tsx";
import { TextInput } from "../ui/controls/text-input.tsx";
import { useToast } from "../ui/overlays/toast.tsx";
import { PeopleTable, roleOptions } from "./people-table.tsx";
import { SessionsTable } from "./sessions-table.tsx";
import { CreateDialog } from "./secret-dialog.tsx";

const words: Record<Role, string> = {
  viewer: "Sees triggers, deliveries and runs, including payloads.",
  operator: "Also starts, cancels, resumes and replays runs, and sees webhook URLs with their keys.",
  admin: "Also manages people, keys and tokens, and reads the audit log.",
};

/** Accounts, invitations and sessions. */
export function People() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const own = useAccess()?.person ?? null;
  const [isInviting, setIsInviting] = useState(false);
  const people = useQuery(trpc.people.list.queryOptions(undefined, { meta: { live: false } }));
  const invitations = useQuery(trpc.invitations.list.queryOptions(undefined, { meta: { live: false } }));
  const sessions = useQuery(trpc.people.sessions.queryOptions(undefined, { meta: { live: false } }));
  const readAgain = () =>
    Promise.all(
      [trpc.people.pathKey(), trpc.invitations.pathKey()].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  const handlers = {
    onSettled: readAgain,
    onError: (error: unknown) => toast({ tone: "bad", text: describeProblem(error) }),
  };
  const end = useMutation(trpc.people.endSession.mutationOptions(handlers));
  const revoke = useMutation(trpc.invitations.revoke.mutationOptions(handlers));
  const nameOf = (id: string) => people.data?.find((person) => person.id === id)?.name ?? id;
  const invite = (
    <Button size="s" tone="primary" icon={UserPlus} onClick={() => setIsInviting(true)}>
      Invite
    </Button>
  );
  return (
    <div className="grid gap-4">
      <QueryPanel
        title="People"
        note={invite}
        query={people}
        empty={{
          title: "No accounts yet",
          text: "Click “Invite” to create an invitation link. In development, no account is needed.",
        }}
      >
        {(rows) => <PeopleTable people={rows} own={own?.id ?? null} handlers={handlers} />}
      </QueryPanel>
      <QueryPanel
        title="Invitations and links"
        query={invitations}
        empty={{
          title: "No open invitations",
          text: "Invitation links and reset links appear here. An invitation creates one account and expires after 7 days. A reset link sets a new password and expires after 1 hour. Signalbox sends no email: you send the link yourself.",
        }}
      >
        {(rows) => (
          <Table label="Invitations" columns={["For", "Role", "Created by", "Expires", ""]}>
            {rows.map(({ id, kind, note, role, createdBy, expiresAt }) => (
              <Row key={id}>
                <Cell name="For">
                  {
                    {
                      setup: "First admin (setup link)",
                      reset: `Password reset for ${note}`,
                      invitation: note || "Any person with the link",
                    }[kind]
                  }
                </Cell>
                <Cell name="Role">{kind === "reset" ? "" : role}</Cell>
                <Cell name="Created by">{createdBy}</Cell>
                <Cell name="Expires">
                  <RelativeTime iso={expiresAt} />
                </Cell>
                <ActionsCell>
                  <Button size="s" disabled={revoke.isPending} onClick={() => revoke.mutate({ id })}>
                    Revoke
                  </Button>
                </ActionsCell>
              </Row>
            ))}
          </Table>
        )}
      </QueryPanel>
      <QueryPanel
        title="Sessions"
        query={sessions}
        empty={{
          title: "No active sessions",
          text: "The sessions of all signed-in people appear here. A session expires after 30 days.",
        }}
      >
        {(rows) => (
          <SessionsTable
            sessions={rows}
            own={own?.sessionId ?? null}
            nameOf={nameOf}
            isBusy={end.isPending}
            onEnd={(id) => end.mutate({ id })}
          />
        )}
      </QueryPanel>
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} onInvited={() => void readAgain()} />}
    </div>
  );
}

function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: () => void }) {
  const trpc = useTRPC();
  const [note, setNote] = useState("");
  const [role, setRole] = useState<Role>("viewer");
  const invite = useMutation(trpc.invitations.create.mutationOptions({ onSuccess: onInvited }));
  const created = invite.data && {
    title: "Invitation link",
    note: "Send this link to the person yourself. It creates one account, expires after 7 days, and is not shown again.",
    secret: invite.data.url,
  };
  return (
    <CreateDialog
      title="Invite a person"
      action="Create link"
      failure="The invitation was not created"
      creation={invite}
      created={created ?? null}
      onCreate={() => invite.mutate({ role, note })}
      onClose={onClose}
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
    </CreateDialog>
  );
}
