"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Key } from "../../server/contract/key.ts";
import type { Person } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/table.tsx";
import { useNow } from "../ui/use-now.ts";
import { KeyState, stateOf } from "./key-state.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { TokenOwner, TokenScope } from "./token-owner.tsx";

interface Props {
  label: string;
  keys: Key[];
  /** Includes the owners of the tokens. */
  people?: readonly Person[];
  onError: (error: unknown) => void;
  onChanged: () => Promise<unknown>;
  /** Absent: the secrets are stored as hashes and cannot be shown. */
  onShow?: (id: string) => void;
}

export function KeysTable({ label, keys, people = [], onError, onChanged, onShow }: Props) {
  const trpc = useTRPC();
  const now = useNow();
  const [ending, setEnding] = useState<Key | null>(null);
  const [rotating, setRotating] = useState<Key | null>(null);
  const revoke = useMutation(
    trpc.keys.revoke.mutationOptions({
      onError,
      async onSettled() {
        setEnding(null);
        await onChanged();
      },
    }),
  );
  const access = keys[0]?.kind === "api" ? "Scope" : "Endpoints";
  return (
    <>
      <Table label={label} columns={["Name", "Prefix", access, "State", "Last used", ""]}>
        {keys.map((key) => (
          <Row key={key.id}>
            <Cell name="Name">
              {key.name} <TokenOwner token={key} people={people} />
              <InPlaceOf keyOf={key} keys={keys} />
            </Cell>
            <Cell name="Prefix">
              <code className="text-s">{key.hint}</code>
            </Cell>
            <Cell name={access}>
              {key.kind === "api" ? (
                <TokenScope token={key} people={people} />
              ) : (
                (key.endpoints?.join(", ") ?? "all endpoints")
              )}
            </Cell>
            <Cell name="State">
              <KeyState keyOf={key} next={keys.find(({ id }) => id === key.replacedBy)} now={now} />
            </Cell>
            <Cell name="Last used">{key.lastUsedAt ? <RelativeTime iso={key.lastUsedAt} /> : "never"}</Cell>
            <ActionsCell>
              {stateOf(key, now) === "valid" && (
                <>
                  {onShow && (
                    <Button size="s" onClick={() => onShow(key.id)}>
                      Show
                    </Button>
                  )}
                  {key.replacedBy === null && (
                    <Button size="s" onClick={() => setRotating(key)}>
                      Rotate
                    </Button>
                  )}
                  <Button size="s" tone="danger" onClick={() => setEnding(key)}>
                    Revoke
                  </Button>
                </>
              )}
            </ActionsCell>
          </Row>
        ))}
      </Table>
      <ConfirmDialog
        title={`Revoke ${ending?.name ?? ""}?`}
        confirmLabel={ending?.kind === "api" ? "Revoke token" : "Revoke key"}
        tone="danger"
        isOpen={ending !== null}
        isBusy={revoke.isPending}
        onConfirm={() => ending && revoke.mutate({ id: ending.id })}
        onClose={() => setEnding(null)}
      >
        Requests that use it are rejected immediately. This cannot be undone.
      </ConfirmDialog>
      {rotating && <RotateDialog old={rotating} onClose={() => setRotating(null)} onRotated={() => void onChanged()} />}
    </>
  );
}

/** The key that this one replaced. */
function InPlaceOf({ keyOf, keys }: { keyOf: Key; keys: readonly Key[] }) {
  const before = keys.find(({ replacedBy }) => replacedBy === keyOf.id);
  return (
    before && (
      <span className="block text-s text-ink-3">
        replaces <code>{before.hint}</code>
      </span>
    )
  );
}
