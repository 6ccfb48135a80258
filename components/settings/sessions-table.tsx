"use client";

import type { PersonSession } from "../../server/contract/person.ts";
import { Button } from "../ui/button.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/table.tsx";
import { deviceWords } from "./device-words.ts";

interface Props {
  sessions: PersonSession[];
  /** The one that looks at this. */
  own: string | null;
  /** Whose a session is, where it is not always oneself. */
  nameOf?: (personId: string) => string;
  isBusy: boolean;
  onEnd: (id: string) => void;
}

export function SessionsTable({ sessions, own, nameOf, isBusy, onEnd }: Props) {
  return (
    <Table label="Sessions" columns={[...(nameOf ? ["Who"] : []), "Device", "Address", "Last seen", "Signed in", ""]}>
      {sessions.map((session) => (
        <Row key={session.id}>
          {nameOf && <Cell name="Who">{nameOf(session.personId)}</Cell>}
          <Cell name="Device">
            <span title={session.userAgent ?? undefined}>{deviceWords(session.userAgent)}</span>
          </Cell>
          <Cell name="Address">
            <span className="font-mono text-s">{session.address}</span>
          </Cell>
          <Cell name="Last seen">
            <RelativeTime iso={session.lastSeenAt} />
          </Cell>
          <Cell name="Signed in">
            <RelativeTime iso={session.createdAt} />
          </Cell>
          <ActionsCell>
            {session.id === own ? (
              <span className="text-s text-ink-3">This one</span>
            ) : (
              <Button size="s" disabled={isBusy} onClick={() => onEnd(session.id)}>
                End
              </Button>
            )}
          </ActionsCell>
        </Row>
      ))}
    </Table>
  );
}
