"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import type { Key } from "../../server/contract/key.ts";
import type { Person } from "../../server/contract/person.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { useNow } from "../ui/use-now.ts";
import { stateOf } from "./key-state.tsx";

/** Confirms the removal of a person, and lists what is revoked with them. */
export function RemoveDialog({
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
  const tokens = keys.data?.filter((key) => key.ownerId === person.id && stateOf(key, now) === "valid");
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
