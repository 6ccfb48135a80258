"use client";

import { Button } from "../ui/button.tsx";
import { AuthCard } from "./auth-card.tsx";
import { Field } from "./field.tsx";
import { ErrorLine } from "./refusal-line.tsx";
import { useAuthForm } from "./use-auth-form.ts";

/** The page of a reset link. Setting the password uses the link up and leads to the sign-in page. */
export function ResetForm({ token, email }: { token: string; email: string }) {
  const { isBusy, error, onSubmit, errorAt } = useAuthForm("reset", {
    fixed: { token },
    next: "/sign-in?done=reset",
  });
  return (
    <AuthCard title="Choose a new password">
      <p className="mt-1 text-ink-2 [overflow-wrap:anywhere]">
        For <strong className="font-semibold text-ink">{email}</strong>. Setting it ends all sessions of this account.
      </p>
      <form method="post" onSubmit={onSubmit} className="mt-4 flex flex-col gap-3">
        {/* For password managers; the server takes the account from the link. */}
        <input type="text" autoComplete="username" value={email} readOnly hidden />
        <Field
          label="New password"
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={128}
          hint="12 characters or more"
          autoFocus
          error={errorAt("password")}
        />
        {error && error.field === null && <ErrorLine message={error.message} />}
        <Button type="submit" tone="primary" disabled={isBusy} aria-busy={isBusy} className="mt-1 h-9">
          Set password
        </Button>
      </form>
    </AuthCard>
  );
}
