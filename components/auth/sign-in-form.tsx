"use client";

import { useState } from "react";
import { z } from "zod";
import { Button } from "../ui/controls/button.tsx";
import { AuthCard, ErrorLine, Field, useAuthForm } from "./auth-form.tsx";

const answerSchema = z.object({ url: z.url({ protocol: /^https?$/ }) });

interface Props {
  /** The page to open after the sign-in. */
  next: string;
  /** The kind of sign-in that failed before. */
  failed: "token" | "oidc" | null;
  /** The display name of the provider; `null`: none is configured. */
  provider: string | null;
  /** The password was just reset. */
  isReset: boolean;
}

export function SignInForm({ next, failed, provider, isReset }: Props) {
  const hasTokenFailed = failed === "token";
  const { isBusy, error, onSubmit } = useAuthForm("sign-in", { next });
  return (
    <AuthCard title="Sign in">
      {isReset && (
        <p role="status" className="mt-1 text-ok">
          Your new password is set. Sign in with it.
        </p>
      )}
      {provider !== null && <ElsewhereButton provider={provider} next={next} hasFailed={failed === "oidc"} />}
      {/* POST: without scripts, a GET form would put the password into the URL. */}
      <form method="post" onSubmit={onSubmit} className="mt-4 flex flex-col gap-3">
        <Field label="Email" name="email" type="email" autoComplete="username" autoFocus />
        <Field label="Password" name="password" type="password" autoComplete="current-password" maxLength={128} />
        {error && <ErrorLine message={error.message} />}
        <Button type="submit" tone="primary" disabled={isBusy} aria-busy={isBusy} className="mt-1 h-9">
          Sign in
        </Button>
      </form>
      <details open={hasTokenFailed} className="mt-5 border-t pt-4">
        <summary className="cursor-pointer text-s text-ink-2">Use an API token instead</summary>
        <form method="post" action="/api/auth/token" className="mt-3 flex flex-col gap-2">
          <input type="hidden" name="next" value={next} />
          <Field
            label="API token"
            name="token"
            type="password"
            autoComplete="off"
            placeholder="sbt_…"
            error={
              hasTokenFailed
                ? "Invalid token: it is unknown, expired or revoked, or it cannot open pages (webhook keys, and the scope feed)."
                : undefined
            }
          />
          <Button type="submit" className="mt-1">
            Sign in with the token
          </Button>
        </form>
      </details>
      <p className="mt-4 text-s text-ink-3">
        Forgot your password? Ask an admin for a reset link, or run <code>signalbox people reset-password</code> on the
        machine that runs Signalbox.
      </p>
      <p className="mt-2 text-s text-ink-3">
        No accounts yet? Run <code>signalbox people setup-link</code> on that machine to create the first admin.
      </p>
    </AuthCard>
  );
}

/** Starts the sign-in at the OpenID Connect provider, which returns to `next`. */
function ElsewhereButton({ provider, next, hasFailed }: { provider: string; next: string; hasFailed: boolean }) {
  const [state, setState] = useState<"idle" | "leaving" | "away">("idle");
  const leave = async () => {
    setState("leaving");
    const response = await fetch("/api/auth/oidc", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ next }),
    }).catch(() => null);
    const answer = answerSchema.safeParse(await response?.json().catch(() => null));
    if (answer.success) location.assign(answer.data.url);
    else setState("away");
  };
  const message =
    state === "away"
      ? `${provider} is not reachable. Try again in a moment.`
      : hasFailed
        ? `Sign-in with ${provider} failed. Your address is not allowed, is not verified, or already has an account with a password.`
        : null;
  return (
    <div className="mt-4 border-b pb-5">
      <Button
        disabled={state === "leaving"}
        aria-busy={state === "leaving"}
        onClick={() => void leave()}
        className="h-9 w-full"
      >
        Sign in with {provider}
      </Button>
      {message && (
        <p role="alert" className="mt-2 text-s text-bad">
          {message}
        </p>
      )}
    </div>
  );
}
