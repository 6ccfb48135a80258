import { type AppError, toProblem } from "../contract/app-error.ts";
import type { Problem } from "../contract/problem.ts";
import { redactText } from "../domain/redaction.ts";

/** The problem without secrets, for the response and the record. */
export function problemToKeep(error: AppError, secrets: readonly string[]): Problem {
  const problem = toProblem(error);
  const clean = (text: string) => redactText(text, secrets);
  problem.detail = clean(problem.detail);
  if (problem.errors)
    problem.errors = problem.errors.map(({ pointer, code, message }) => ({
      pointer: clean(pointer),
      code,
      message: clean(message),
    }));
  return problem;
}
