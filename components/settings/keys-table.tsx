"use client";

import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { Key } from "../../server/contract/access/key.ts";
import type { Person } from "../../server/contract/access/person.ts";
import { isUsableKey, keyState, limitScope } from "../../server/shared/access/keys.ts";
import { formatUtc } from "../../server/shared/format.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { Choice } from "../ui/controls/choice.tsx";
import { ConfirmDialog } from "../ui/overlays/dialog.tsx";
import { ActionsCell, Cell, Row, Table } from "../ui/page-layout.tsx";
import { RelativeTime, useNow } from "../ui/time.tsx";
import { CreateDialog } from "./secret-dialog.tsx";

/** In seconds. */
const overlaps = [
  { value: "0", label: "immediately" },
  { value: "3600", label: "in 1 hour" },
  { value: "86400", label: "in 1 day" },
  { value: "604800", label: "in 7 days" },
  { value: "2592000", label: "in 30 days" },
] as const;

type Overlap = (typeof overlaps)[number]["value"];

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
              <Replaces keyOf={key} keys={keys} />
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
              <Validity keyOf={key} now={now} />
              {key.replacedBy !== null && (
                <span className="block text-s text-ink-3">
                  replaced by <code>{keys.find(({ id }) => id === key.replacedBy)?.hint ?? key.replacedBy}</code>
                </span>
              )}
            </Cell>
            <Cell name="Last used">{key.lastUsedAt ? <RelativeTime iso={key.lastUsedAt} /> : "never"}</Cell>
            <ActionsCell>
              {isUsableKey(key, now) && (
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
function Replaces({ keyOf, keys }: { keyOf: Key; keys: readonly Key[] }) {
  const before = keys.find(({ replacedBy }) => replacedBy === keyOf.id);
  return (
    before && (
      <span className="block text-s text-ink-3">
        replaces <code>{before.hint}</code>
      </span>
    )
  );
}

interface TokenOwnerProps {
  token: Key;
  people: readonly Person[];
}

/** The owner of a token. The token is revoked when the owner is removed. */
function TokenOwner({ token, people }: TokenOwnerProps) {
  const owner = people.find(({ id }) => id === token.ownerId);
  return owner && <span className="block text-s text-ink-3">of {owner.name}</span>;
}

/** The scope of a token, limited by its owner's role. */
function TokenScope({ token, people }: TokenOwnerProps) {
  const owner = people.find(({ id }) => id === token.ownerId);
  const scope = owner && token.scope && limitScope(token.scope, owner.role);
  if (!owner || scope === token.scope) return token.scope;
  return (
    <>
      {scope}{" "}
      <span className="block text-s text-ink-3">
        created with {token.scope}, limited by the role of {owner.name} ({owner.role})
      </span>
    </>
  );
}

/** Replaces a key with a new one. The old key stays valid for a while, so that the sender can switch. */
function RotateDialog({ old, onClose, onRotated }: { old: Key; onClose: () => void; onRotated: () => void }) {
  const trpc = useTRPC();
  const [overlap, setOverlap] = useState<Overlap>("86400");
  const rotate = useMutation(trpc.keys.rotate.mutationOptions({ onSuccess: onRotated }));
  const isToken = old.kind === "api";
  const noun = isToken ? "token" : "key";
  const endOf = ({ expiresAt }: Key) =>
    overlap === "0" || expiresAt === null
      ? `The old ${noun} no longer works.`
      : `The old ${noun} works until ${formatUtc(expiresAt)}.`;
  return (
    <CreateDialog
      title={`Rotate ${old.name}?`}
      action={`Rotate ${noun}`}
      failure={`The ${noun} was not rotated`}
      creation={rotate}
      created={rotate.data ? newSecret(old.kind, rotate.data.key.secret, endOf(rotate.data.old)) : null}
      onCreate={() => rotate.mutate({ id: old.id, overlapSeconds: Number(overlap) })}
      onClose={onClose}
    >
      <p className="text-ink-2">
        A new {noun} replaces it, with the same name, {isToken ? "scope" : "endpoints"} and lifetime. Both work until
        the old {noun} expires.
      </p>
      <div className="flex items-center gap-2">
        <span className="text-s font-medium text-ink-2">Old {noun} expires</span>
        <Choice<Overlap> label={`Old ${noun} expires`} value={overlap} options={overlaps} onChange={setOverlap} />
      </div>
    </CreateDialog>
  );
}

/** A new key as it is shown once. `end`: of the key that it replaces. */
export function newSecret(kind: Key["kind"], secret: string, end?: string) {
  const keep =
    kind === "api"
      ? "Copy it now. Only its hash is stored, and it is never shown again."
      : `${end === undefined ? "The sender adds it to the URL as ?token=, or sends it as Authorization: Bearer." : "Send it to the sender."} An admin can view it again.`;
  return {
    title: kind === "api" ? "New API token" : "New webhook key",
    note: end === undefined ? keep : `${end} ${keep}`,
    secret,
  };
}

/** Whether the key is valid, and until when. */
function Validity({ keyOf, now }: { keyOf: Key; now: number }) {
  const state = keyState(keyOf, now);
  if (state === "revoked" && keyOf.revokedAt) {
    return (
      <span className="text-ink-3">
        revoked <RelativeTime iso={keyOf.revokedAt} />
      </span>
    );
  }
  if (keyOf.expiresAt === null) return <span className="text-ok">valid</span>;
  // After a rotation, both keys are valid until the old one expires.
  const words = {
    valid: keyOf.replacedBy === null ? "valid, expires" : "still valid, expires",
    expired: "expired",
    revoked: "revoked",
  }[state];
  return (
    <span className={state === "valid" ? (keyOf.replacedBy === null ? "text-ok" : "text-wait") : "text-ink-3"}>
      {words} <RelativeTime iso={keyOf.expiresAt} />
    </span>
  );
}
