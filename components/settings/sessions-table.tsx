"use client";

import type { SessionRow } from "../../server/contract/access/person.ts";
import { Button } from "../ui/controls/button.tsx";
import { RelativeTime } from "../ui/time.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/page-layout.tsx";

interface Props {
  sessions: SessionRow[];
  /** The id of the current session. */
  own: string | null;
  /** The name of the person; absent where all sessions are of the current person. */
  nameOf?: (personId: string) => string;
  isBusy: boolean;
  onEnd: (id: string) => void;
}

export function SessionsTable({ sessions, own, nameOf, isBusy, onEnd }: Props) {
  return (
    <Table
      label="Sessions"
      columns={[...(nameOf ? ["Person"] : []), "Device", "Address", "Last seen", "Signed in", ""]}
    >
      {sessions.map((session) => (
        <Row key={session.id}>
          {nameOf && <Cell name="Person">{nameOf(session.personId)}</Cell>}
          <Cell name="Device">
            <span title={session.userAgent ?? undefined}>{session.device}</span>
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
              <span className="text-s text-ink-3">This session</span>
            ) : (
              <Button size="s" disabled={isBusy} onClick={() => onEnd(session.id)}>
                End session
              </Button>
            )}
          </ActionsCell>
        </Row>
      ))}
    </Table>
  );
}
