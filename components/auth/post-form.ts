import { z } from "zod";
import { problemSchema } from "../../server/contract/problem.ts";

/** What came of a form: `null` where it was taken, else why not, and at which field. */
export interface FormRefusal {
  message: string;
  field: string | null;
}

export type AuthPath = "sign-in" | "join" | "reset";

/** Sends a form to the door that lets people in. The session comes as a cookie that no script can read. */
export async function postForm(path: AuthPath, values: Record<string, string>): Promise<FormRefusal | null> {
  const response = await fetch(`/api/auth/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(values),
  }).catch(() => null);
  if (response?.ok) return null;
  const problem = problemSchema.safeParse(await response?.json().catch(() => null));
  if (!problem.success) return { message: "The service does not answer. Try again in a moment.", field: null };
  const { detail, errors } = problem.data;
  return { message: detail, field: z.string().safeParse(errors?.[0]?.pointer.slice(1)).data || null };
}
