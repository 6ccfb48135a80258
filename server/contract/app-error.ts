import type { ErrorCode } from "./error-codes.ts";
import type { ProblemError } from "./problem.ts";

/**
 * An expected failure. The table of error codes defines its response. `detail` says what is wrong, where, and, unless
 * `fix` does, how to fix it.
 */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly code: ErrorCode;
  readonly errors: ProblemError[];
  /** For this failure, instead of the fix in the table. Shown by the command line. */
  readonly fix: string | undefined;

  constructor(
    code: ErrorCode,
    detail: string,
    options: { errors?: ProblemError[]; fix?: string; cause?: unknown } = {},
  ) {
    super(detail, { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.fix = options.fix;
  }
}

/** Whether an operation failed because the store cannot be used now. */
export function isStoreUnavailable(error: unknown): error is AppError {
  return error instanceof AppError && error.code === "store_unavailable";
}
