"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { problemOf } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { Button } from "../ui/button.tsx";
import { TextInput } from "../ui/text-input.tsx";
import { useToast } from "../ui/toast.tsx";

/** Changing the password also ends the person's other sessions. */
export function PasswordForm() {
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
