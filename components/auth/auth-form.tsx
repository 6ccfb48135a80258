"use client";

import { type ComponentProps, type ReactNode, type SubmitEvent, useId, useState } from "react";
import { z } from "zod";
import { problemSchema } from "../../server/contract/problem.ts";

/** The card on the sign-in, invitation and reset pages. */
export function AuthCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="p-4">
      <div className="mx-auto mt-[10vh] w-full max-w-[400px] rounded-l border bg-panel p-6 shadow-raised">
        <h1 className="text-l font-semibold">{title}</h1>
        {children}
      </div>
    </div>
  );
}

interface FieldProps extends ComponentProps<"input"> {
  label: string;
  hint?: string;
  error?: string | undefined;
}

/** A field of the sign-in, invitation and reset forms; larger than the fields of the app. */
export function Field({ label, hint, error, ...rest }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1 block text-s font-medium text-ink-2">
        {label}
      </label>
      <input
        required
        spellCheck={false}
        {...rest}
        id={id}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={described || undefined}
        className="h-9 w-full min-w-0 rounded-m border border-line-strong bg-raised px-3 placeholder:text-ink-3 aria-invalid:border-bad"
      />
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-s text-ink-3">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} role="alert" className="mt-1 text-s text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

/** The error of a form as a whole. */
export function ErrorLine({ message }: { message: string }) {
  return (
    <p role="alert" className="text-s text-bad">
      {message}
    </p>
  );
}

/** The state of an auth form. Once accepted, it loads `next` from the server, with the new session. */
export function useAuthForm(path: AuthPath, { fixed, next }: { fixed?: Record<string, string>; next: string }) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<FormError | null>(null);
  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setIsBusy(true);
    const values = Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value)]));
    const rejected = await postForm(path, { ...fixed, ...values });
    if (rejected === null) {
      location.assign(next);
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
