"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useAccess } from "../auth/access.tsx";
import { problemOf, describeProblem } from "../ui/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/controls/button.tsx";
import { EmptyState, QueryPanel } from "../ui/states.tsx";
import { Panel } from "../ui/page-layout.tsx";
import { TextInput } from "../ui/controls/text-input.tsx";
import { useToast } from "../ui/overlays/toast.tsx";
import { SessionsTable } from "./sessions-table.tsx";

/** The current person's account, sessions and password. */
export function Account() {
  const access = useAccess();
  if (!access?.person) {
    return (
      <Panel title="Account">
        <EmptyState title="No account">
          In development, everyone on this machine has full access. On a deployed service, you are signed in with an API
          token. To get an account, ask an admin for an invitation.
        </EmptyState>
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
      onError: (error) => toast({ tone: "bad", text: `The session was not ended. ${describeProblem(error)}` }),
    }),
  );
  return (
    <QueryPanel
      title="Sessions"
      query={sessions}
      empty={{ title: "No sessions", text: "Your active sessions appear here." }}
    >
      {(rows) => <SessionsTable sessions={rows} own={own} isBusy={end.isPending} onEnd={(id) => end.mutate({ id })} />}
    </QueryPanel>
  );
}

/** Changing the password also ends the person's other sessions. */
function PasswordForm() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const toast = useToast();
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const change = useMutation(
    trpc.account.changePassword.mutationOptions({
      onSuccess() {
        setCurrent("");
        setNext("");
        toast({ tone: "ok", text: "Password changed. Your other sessions have ended." });
        void queries.invalidateQueries({ queryKey: trpc.account.sessions.queryKey() });
      },
    }),
  );
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    change.mutate({ current, next });
  };
  const problem = change.error ? problemOf(change.error) : null;
  const isNext = problem?.errors[0]?.pointer === "/next";
  return (
    <form onSubmit={submit} className="grid max-w-[420px] gap-3 px-4 py-4">
      <TextInput
        label="Current password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={128}
        value={current}
        onChange={(event) => setCurrent(event.target.value)}
        {...(problem && !isNext ? { error: problem.detail } : {})}
      />
      <TextInput
        label="New password, 12 characters or more"
        type="password"
        autoComplete="new-password"
        required
        minLength={12}
        maxLength={128}
        value={next}
        onChange={(event) => setNext(event.target.value)}
        {...(isNext ? { error: problem.detail } : {})}
      />
      <div>
        <Button type="submit" disabled={change.isPending} aria-busy={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  );
}
