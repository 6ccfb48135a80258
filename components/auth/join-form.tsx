"use client";

import type { Role } from "../../server/contract/person.ts";
import { Button } from "../ui/button.tsx";
import { AuthCard } from "./auth-card.tsx";
import { Field } from "./field.tsx";
import { RefusalLine } from "./refusal-line.tsx";
import { useAuthForm } from "./use-auth-form.ts";

const words: Record<Role, string> = {
  viewer: "You will see triggers, deliveries and runs.",
  operator: "You will see everything that arrives and runs, and can start, stop and repeat runs.",
  admin: "You will be able to do everything, and decide who else may come in.",
};

/** For whoever opens an invitation: it is used up by the account that is made here. */
export function JoinForm({ title, token, role }: { title: string; token: string; role: Role }) {
  const { isBusy, refusal, onSubmit, errorAt } = useAuthForm("join", { fixed: { token }, next: "/" });
  return (
    <AuthCard title={title}>
      <p className="mt-1 text-ink-2">{words[role]}</p>
      <form method="post" onSubmit={onSubmit} className="mt-4 flex flex-col gap-3">
        <Field label="Name" name="name" autoComplete="name" maxLength={100} autoFocus error={errorAt("name")} />
        <Field label="E-mail" name="email" type="email" autoComplete="username" error={errorAt("email")} />
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={128}
          hint="12 characters or more"
          error={errorAt("password")}
        />
        {refusal && refusal.field === null && <RefusalLine message={refusal.message} />}
        <Button type="submit" tone="primary" disabled={isBusy} aria-busy={isBusy} className="mt-1 h-9">
          Create the account
        </Button>
      </form>
    </AuthCard>
  );
}

/** A link that opens nothing (any more). */
export function UnusableLink({ command }: { command: string | null }) {
  return (
    <AuthCard title="This link opens nothing">
      <p className="mt-1 text-ink-2">
        It has been used, has expired, was withdrawn, or is not whole.{" "}
        {command ? "On the machine that runs Signalbox, this makes another:" : "Ask whoever sent it for another."}
      </p>
      {command && <code className="mt-2 block">{command}</code>}
    </AuthCard>
  );
}
