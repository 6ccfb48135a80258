"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { type Person, type Role, roleSchema } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { Choice } from "../ui/choice.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/table.tsx";
import { RemoveDialog } from "./remove-dialog.tsx";
import { ResetDialog } from "./reset-dialog.tsx";

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
      <Table label="People" columns={["Name", "E-mail", "Role", "Last seen", ""]}>
        {people.map((person) => (
          <Row key={person.id}>
            <Cell name="Name">
              {person.name} {person.id === own && <span className="text-s text-ink-3">(you)</span>}
            </Cell>
            <Cell name="E-mail">{person.email}</Cell>
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
                disabled={isLastAdmin(person)}
                title={isLastAdmin(person) ? "The last admin cannot be removed" : undefined}
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
