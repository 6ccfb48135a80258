"use client";

import { type SubmitEvent, useState } from "react";
import { type AuthPath, type FormError, postForm } from "./post-form.ts";

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
