import { z } from "zod";
import { problemSchema } from "../../server/contract/problem.ts";

/** Why a form was rejected, and at which field. `field: null`: the form as a whole. */
export interface FormError {
  message: string;
  field: string | null;
}

export type AuthPath = "sign-in" | "join" | "reset";

/** Posts a form to `/api/auth`; `null`: it was accepted. The session is an HttpOnly cookie. */
export async function postForm(path: AuthPath, values: Record<string, string>): Promise<FormError | null> {
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
