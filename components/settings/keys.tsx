"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useState } from "react";
import type { KeyKind } from "../../server/contract/access/key.ts";
import type { Scope } from "../../server/contract/access/scope.ts";
import { describeProblem } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { Choice, Segmented } from "../ui/controls/choice.tsx";
import { TextInput } from "../ui/controls/text-input.tsx";
import { useToast } from "../ui/overlays/toast.tsx";
import { KeysTable, newSecret } from "./keys-table.tsx";
import { QueryPanel } from "../ui/states.tsx";
import { CreateDialog, SecretDialog } from "./secret-dialog.tsx";

const scopes = [
  { value: "feed", label: "feed" },
  { value: "read", label: "read" },
  { value: "operate", label: "operate" },
  { value: "admin", label: "admin" },
] as const;

const words: Record<Scope, string> = {
  feed: "Follows the deliveries, with their bodies.",
  read: "Also sees triggers, deliveries and runs.",
  operate: "Also starts, cancels, resumes and replays runs, and sees webhook URLs with their keys.",
  admin: "Also manages people, keys and tokens.",
};

const lifetimes = [
  { value: "30", label: "after 30 days" },
  { value: "90", label: "after 90 days" },
  { value: "365", label: "after 1 year" },
  { value: "", label: "never" },
] as const;

type Lifetime = (typeof lifetimes)[number]["value"];

const all = "*";

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
  const onError = (error: unknown) => toast({ tone: "bad", text: describeProblem(error) });
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
        <SecretDialog
          title="Webhook key"
          note="The audit log records that you viewed this key."
          secret={shown}
          onClose={() => setShown(null)}
        />
      )}
    </div>
  );
}

function KeyDialog({ kind, onClose, onMade }: { kind: KeyKind; onClose: () => void; onMade: () => void }) {
  const trpc = useTRPC();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<Scope>("read");
  const [lifetime, setLifetime] = useState<Lifetime>(kind === "api" ? "90" : "");
  const [endpoint, setEndpoint] = useState(all);
  const known = useQuery(trpc.triggers.names.queryOptions()).data?.triggers ?? [];
  const endpoints = [...new Set(known.map((trigger) => trigger.endpoint))];
  const make = useMutation(trpc.keys.create.mutationOptions({ onSuccess: onMade }));
  const isToken = kind === "api";
  const submit = () => {
    const lifetimeDays = lifetime === "" ? null : Number(lifetime);
    make.mutate(
      isToken
        ? { kind, name, lifetimeDays, scope }
        : { kind: "webhook", name, lifetimeDays, endpoints: endpoint === all ? null : [endpoint] },
    );
  };
  return (
    <CreateDialog
      title={isToken ? "New API token" : "New webhook key"}
      action={isToken ? "Create token" : "Create key"}
      failure={isToken ? "The token was not created" : "The key was not created"}
      creation={make}
      created={make.data ? newSecret(kind, make.data.secret) : null}
      onCreate={submit}
      onClose={onClose}
    >
      <TextInput
        label="Name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
        placeholder={isToken ? "CI" : "GitHub"}
      />
      {isToken ? (
        <div>
          <Segmented<Scope> label="Scope" value={scope} options={scopes} onChange={setScope} />
          <p className="mt-2 text-s text-ink-2">{words[scope]}</p>
        </div>
      ) : (
        <Choice
          label="Endpoints"
          value={endpoint}
          options={[
            { value: all, label: "all endpoints" },
            ...endpoints.map((value) => ({ value, label: `only ${value}` })),
          ]}
          onChange={setEndpoint}
        />
      )}
      <div className="flex items-center gap-2">
        <span className="text-s font-medium text-ink-2">Expires</span>
        <Choice<Lifetime> label="Expires" value={lifetime} options={lifetimes} onChange={setLifetime} />
      </div>
    </CreateDialog>
  );
}
