"use client";

import { type SubmitEvent, useState } from "react";
import { z } from "zod";
import { problemSchema } from "../../server/contract/problem.ts";

/** The state of an auth form. Once accepted, it loads `next` from the server, with the new session. */
export function useAuthForm(path: AuthPath, p: { fixed?: Record<string, string>; next: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<FormError | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setIsBusy(true);
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const rejected = await postForm(path, { ...p.fixed, ...values });
    if (rejected === null) {
      location.assign(p.next);
      return;
    }
    setError(rejected);
    setIsBusy(false);
  };
  return {
    isBusy,
    error,
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
    errorAt: (field: string) => (error?.field === field ? error.message : undefined),
  };
}

/** Why a form was rejected, and at which field. `field: null`: the form as a whole. */
interface FormError {
  message: string;
  field: string | null;
}

type AuthPath = "sign-in" | "join" | "reset";

/** Posts a form to `/api/auth`; `null`: it was accepted. The session is an HttpOnly cookie. */
async function postForm(path: AuthPath, values: Record<string, string>): Promise<FormError | null> {
  const response = await fetch(`/api/auth/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  }).catch(() => null);
  if (response?.ok) return null;
  const problem = problemSchema.safeParse(await response?.json().catch(() => null));
  if (!problem.success) return { message: "The server is not reachable. Try again in a moment.", field: null };
  const { detail, errors } = problem.data;
  return { message: detail, field: z.string().safeParse(errors?.[0]?.pointer.slice(1)).data || null };
}
