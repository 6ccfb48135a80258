"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAccess } from "../auth/access.tsx";
import { sayProblem } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { EmptyFace } from "../ui/faces.tsx";
import { Panel } from "../ui/panel.tsx";
import { useToast } from "../ui/toast.tsx";
import { PasswordForm } from "./password-form.tsx";
import { QueryPanel } from "./query-panel.tsx";
import { SessionsTable } from "./sessions-table.tsx";

/** Oneself: who one is here, one's password and where one is signed in. */
export function Account() {
  const access = useAccess();
  if (!access?.person) {
    return (
      <Panel title="Account">
        <EmptyFace title="You are here without an account">
          In development everybody on this machine may do everything. On a deployed service this is somebody who signed
          in with an API token. Accounts are for people: an admin invites them.
        </EmptyFace>
      </Panel>
    );
  }
  const { name, email, role, sessionId } = access.person;
  return (
    <div className="grid gap-4">
      <Panel title="Account">
        <p className="px-4 py-3">
          <span className="font-semibold">{name}</span> <span className="text-ink-2">{email}</span>{" "}
          <span className="text-ink-3">· {role}</span>
        </p>
      </Panel>
      <OwnSessions own={sessionId} />
      <Panel title="Password">
        <PasswordForm />
      </Panel>
    </div>
  );
}

function OwnSessions({ own }: { own: string }) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const sessions = useQuery(trpc.account.sessions.queryOptions(undefined, { meta: { live: false } }));
  const end = useMutation(
    trpc.account.endSession.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.account.sessions.queryKey() }),
      onError: (error) => toast({ tone: "bad", text: `The session was not ended. ${sayProblem(error)}` }),
    }),
  );
  return (
    <QueryPanel title="Sessions" query={sessions} empty={{ title: "No sessions", text: "You are signed in nowhere." }}>
      {(rows) => <SessionsTable sessions={rows} own={own} isBusy={end.isPending} onEnd={(id) => end.mutate({ id })} />}
    </QueryPanel>
  );
}
