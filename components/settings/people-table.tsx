"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { Key } from "../../server/contract/access/key.ts";
import { type Person, type Role, roleSchema } from "../../server/contract/access/person.ts";
import { isUsableKey } from "../../server/shared/access/keys.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { Choice } from "../ui/controls/choice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/page-layout.tsx";
import { RelativeTime, useNow } from "../ui/time.tsx";
import { CreateDialog } from "./secret-dialog.tsx";

export const roleOptions = roleSchema.options.map((role) => ({ value: role, label: role }));

interface Props {
  people: Person[];
  /** The id of the current person. */
  own: string | null;
  handlers: { onSettled: () => Promise<unknown>; onError: (error: unknown) => void };
}

export function PeopleTable({ people, own, handlers }: Props) {
  const trpc = useTRPC();
  const [leaving, setLeaving] = useState<Person | null>(null);
  const [resetting, setResetting] = useState<Person | null>(null);
  const changeRole = useMutation(trpc.people.changeRole.mutationOptions(handlers));
  const isLastAdmin = (person: Person) =>
    person.role === "admin" && people.filter(({ role }) => role === "admin").length === 1;
  return (
    <>
      <Table label="People" columns={["Name", "Email", "Role", "Last seen", ""]}>
        {people.map((person) => (
          <Row key={person.id}>
            <Cell name="Name">
              {person.name} {person.id === own && <span className="text-s text-ink-3">(you)</span>}
            </Cell>
            <Cell name="Email">{person.email}</Cell>
            <Cell name="Role">
              {isLastAdmin(person) ? (
                <span title="The last admin keeps this role. Make another person admin first.">admin</span>
              ) : (
                <Choice<Role>
                  label={`Role of ${person.name}`}
                  value={person.role}
                  options={roleOptions}
                  onChange={(role) => changeRole.mutate({ id: person.id, role })}
                />
              )}
            </Cell>
            <Cell name="Last seen">{person.lastSeenAt ? <RelativeTime iso={person.lastSeenAt} /> : "signed out"}</Cell>
            <ActionsCell>
              <Button size="s" onClick={() => setResetting(person)}>
                Reset password
              </Button>
              <Button
                size="s"
                tone="danger"
                disabledReason={isLastAdmin(person) ? "The last admin cannot be removed" : undefined}
                onClick={() => setLeaving(person)}
              >
                Remove
              </Button>
            </ActionsCell>
          </Row>
        ))}
      </Table>
      {resetting && (
        <ResetDialog person={resetting} onClose={() => setResetting(null)} onMade={() => void handlers.onSettled()} />
      )}
      {leaving && <RemoveDialog person={leaving} handlers={handlers} onClose={() => setLeaving(null)} />}
    </>
  );
}

/** Creates a link that sets a new password. */
function ResetDialog({ person, onClose, onMade }: { person: Person; onClose: () => void; onMade: () => void }) {
  const trpc = useTRPC();
  const make = useMutation(trpc.people.makeResetLink.mutationOptions({ onSuccess: onMade }));
  const created = make.data && {
    title: "Reset link",
    note: `Send this link to ${person.name} yourself. It sets a new password once, expires after 1 hour, and is not shown again.`,
    secret: make.data.url,
  };
  return (
    <CreateDialog
      title={`Reset the password of ${person.name}?`}
      action="Create link"
      failure="The link was not created"
      creation={make}
      created={created ?? null}
      onCreate={() => make.mutate({ id: person.id })}
      onClose={onClose}
    >
      <p className="text-ink-2">
        You get a link that lets {person.email} choose a new password. The current password works until then. Using the
        link ends all of their sessions. Earlier reset links for this person stop working now.
      </p>
    </CreateDialog>
  );
}

/** Confirms the removal of a person, and lists what is revoked with them. */
function RemoveDialog({
  person,
  onClose,
  handlers,
}: {
  person: Person;
  onClose: () => void;
  handlers: { onSettled: () => Promise<unknown>; onError: (error: unknown) => void };
}) {
  const trpc = useTRPC();
  const now = useNow();
  const keys = useQuery(trpc.keys.list.queryOptions(undefined, { meta: { live: false } }));
  const remove = useMutation(
    trpc.people.remove.mutationOptions({
      ...handlers,
      async onSettled() {
        onClose();
        await handlers.onSettled();
      },
    }),
  );
  const tokens = keys.data?.filter((key) => key.ownerId === person.id && isUsableKey(key, now));
  return (
    <ConfirmDialog
      title={`Remove ${person.name}?`}
      confirmLabel="Remove person"
      tone="danger"
      isOpen
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate({ id: person.id })}
      onClose={onClose}
    >
      <p>Their sessions and the links they created end immediately. {tokenWords(tokens)}</p>
      <p className="mt-2">
        Their entries stay in the audit log. Webhook keys stay valid, because senders use them. Rotate the keys that
        this person knew.
      </p>
    </ConfirmDialog>
  );
}

function tokenWords(tokens: readonly Key[] | undefined): string {
  if (!tokens) return "Their API tokens are revoked.";
  if (tokens.length === 0) return "They have no API tokens.";
  const names = tokens.map(({ name }) => name);
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return tokens.length === 1
    ? `Their API token ${shown.join("")} is revoked. Requests that use it are rejected.`
    : `Their ${tokens.length} API tokens are revoked: ${shown.join(", ")}. Requests that use them are rejected.`;
}
