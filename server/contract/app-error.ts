import { type ErrorCode, errorCodes } from "./error-codes.ts";
import type { Problem, ProblemError } from "./problem.ts";

/**
 * An expected failure. The table of error codes defines its response. `detail` says what is wrong, where, and how to
 * fix it.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly errors: ProblemError[];

  constructor(code: ErrorCode, detail: string, options: { errors?: ProblemError[]; cause?: unknown } = {}) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
  }
}

/** The RFC 9457 problem of an expected failure. */
export function toProblem(error: AppError): Problem {
  const { status, title } = errorCodes[error.code];
  const problem: Problem = { type: `/errors/${error.code}`, title, status, code: error.code, detail: error.message };
  if (error.errors.length > 0) problem.errors = error.errors.slice(0, 20);
  return problem;
}
