"use client";

import { type SubmitEvent, useState } from "react";
import { type AuthPath, type FormRefusal, postForm } from "./post-form.ts";

/** A form that, once it is taken, leads to a page that is read anew as whoever came in. */
export function useAuthForm(path: AuthPath, p: { fixed?: Record<string, string>; next: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const [refusal, setRefusal] = useState<FormRefusal | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setIsBusy(true);
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const refused = await postForm(path, { ...p.fixed, ...values });
    if (refused === null) {
      location.assign(p.next);
      return;
    }
    setRefusal(refused);
    setIsBusy(false);
  };
  return {
    isBusy,
    refusal,
    onSubmit: (event: SubmitEvent<HTMLFormElement>) => void submit(event),
    errorAt: (field: string) => (refusal?.field === field ? refusal.message : undefined),
  };
}
