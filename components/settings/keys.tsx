"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import type { KeyKind } from "../../server/contract/key.ts";
import { sayProblem } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { useToast } from "../ui/toast.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { KeysTable } from "./keys-table.tsx";
import { QueryPanel } from "./query-panel.tsx";
import { ShownOnce } from "./shown-once.tsx";

/** API tokens for programs and webhook keys for senders. */
export function Keys() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const [making, setMaking] = useState<KeyKind | null>(null);
  const [shown, setShown] = useState<string | null>(null);
  const keys = useQuery(trpc.keys.list.queryOptions(undefined, { meta: { live: false } }));
  const people = useQuery(trpc.people.list.queryOptions(undefined, { meta: { live: false } })).data ?? [];
  const readAgain = () => queries.invalidateQueries({ queryKey: trpc.keys.list.queryKey() });
  const onError = (error: unknown) => toast({ tone: "bad", text: sayProblem(error) });
  const show = useMutation(trpc.keys.show.mutationOptions({ onSuccess: ({ secret }) => setShown(secret), onError }));
  const ofKind = (kind: KeyKind) => ({ ...keys, data: keys.data?.filter((key) => key.kind === kind) });
  const newButton = (kind: KeyKind, label: string) => (
    <Button size="s" tone="primary" icon={KeyRound} onClick={() => setMaking(kind)}>
      {label}
    </Button>
  );
  return (
    <div className="grid gap-4">
      <QueryPanel
        title="API tokens"
        note={newButton("api", "New token")}
        query={ofKind("api")}
        empty={{
          title: "No API tokens",
          text: "An API token gives a program access to /api/v1 and the command line, within its scope. Click “New token” to create one.",
        }}
      >
        {(rows) => <KeysTable label="API tokens" keys={rows} people={people} onError={onError} onChanged={readAgain} />}
      </QueryPanel>
      <QueryPanel
        title="Webhook keys"
        note={newButton("webhook", "New key")}
        query={ofKind("webhook")}
        empty={{
          title: "No webhook keys",
          text: "Senders authenticate with a webhook key. Create one key for each sender, so that you can revoke it separately.",
        }}
      >
        {(rows) => (
          <KeysTable
            label="Webhook keys"
            keys={rows}
            onError={onError}
            onChanged={readAgain}
            onShow={(id) => show.mutate({ id })}
          />
        )}
      </QueryPanel>
      {making && <KeyDialog kind={making} onClose={() => setMaking(null)} onMade={() => void readAgain()} />}
      {shown && (
        <ShownOnce
          title="Webhook key"
          note="The audit log records that you viewed this key."
          secret={shown}
          onClose={() => setShown(null)}
        />
      )}
    </div>
  );
}
