"use client";

import { useState } from "react";
import { z } from "zod";
import { Button } from "../ui/button.tsx";

const answerSchema = z.object({ url: z.url({ protocol: /^https?$/ }) });

/** Starts the sign-in at the OpenID Connect provider, which returns to `next`. */
export function ElsewhereButton({ provider, next, hasFailed }: { provider: string; next: string; hasFailed: boolean }) {
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
