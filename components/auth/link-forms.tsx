"use client";

import type { Role } from "../../server/contract/access/person.ts";
import { Button } from "../ui/controls/button.tsx";
import { AuthCard, ErrorLine, Field, useAuthForm } from "./auth-form.tsx";

const words: Record<Role, string> = {
  viewer: "You can see triggers, deliveries and runs.",
  operator: "You can see triggers, deliveries and runs, and start, cancel, resume and replay runs.",
  admin: "You can do everything, and manage the access of other people.",
};

const newPassword = {
  name: "password",
  type: "password",
  autoComplete: "new-password",
  minLength: 12,
  maxLength: 128,
  hint: "12 characters or more",
};

/** The page of an invitation. Creating the account uses the invitation up. */
export function JoinForm({ title, token, role }: { title: string; token: string; role: Role }) {
  const { isBusy, error, onSubmit, errorAt } = useAuthForm("join", { fixed: { token }, next: "/" });
  return (
    <AuthCard title={title}>
      <p className="mt-1 text-ink-2">{words[role]}</p>
      <form method="post" onSubmit={onSubmit} className="mt-4 flex flex-col gap-3">
        <Field label="Name" name="name" autoComplete="name" maxLength={100} autoFocus error={errorAt("name")} />
        <Field label="Email" name="email" type="email" autoComplete="username" error={errorAt("email")} />
        <Field label="Password" {...newPassword} error={errorAt("password")} />
        {error && error.field === null && <ErrorLine message={error.message} />}
        <Button type="submit" tone="primary" disabled={isBusy} aria-busy={isBusy} className="mt-1 h-9">
          Create account
        </Button>
      </form>
    </AuthCard>
  );
}

/** An invitation or reset link that is not valid. */
export function UnusableLink({ command }: { command: string | null }) {
  return (
    <AuthCard title="Invalid link">
      <p className="mt-1 text-ink-2">
        The link was already used, has expired, was revoked, or is incomplete.{" "}
        {command
          ? "To create a new link, run this command on the machine that runs Signalbox:"
          : "Ask an admin for a new link."}
      </p>
      {command && <code className="mt-2 block">{command}</code>}
    </AuthCard>
  );
}

/** The page of a reset link. Setting the password uses the link up and leads to the sign-in page. */
export function ResetForm({ token, email }: { token: string; email: string }) {
  const { isBusy, error, onSubmit, errorAt } = useAuthForm("reset", {
    fixed: { token },
    next: "/sign-in?done=reset",
  });
  return (
    <AuthCard title="Choose a new password">
      <p className="mt-1 text-ink-2 wrap-anywhere">
        For <strong className="font-semibold text-ink">{email}</strong>. Setting it ends all sessions of this account.
      </p>
      <form method="post" onSubmit={onSubmit} className="mt-4 flex flex-col gap-3">
        {/* For password managers; the server takes the account from the link. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <Field label="New password" {...newPassword} autoFocus error={errorAt("password")} />
        {error && error.field === null && <ErrorLine message={error.message} />}
        <Button type="submit" tone="primary" disabled={isBusy} aria-busy={isBusy} className="mt-1 h-9">
          Set password
        </Button>
      </form>
    </AuthCard>
  );
}
