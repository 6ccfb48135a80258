import type { Problem, ProblemError, Run } from "./api-types.ts";
import { type ErrorCode, errorTable } from "./error-table.ts";

/** The base of all errors of the client, except for TypeErrors about its arguments and the reason of your own `signal`. */
export abstract class SignalboxError extends Error {
  override readonly name: string = "SignalboxError";
}

/**
 * The service answered with a problem document (RFC 9457). `message` is its `detail`.
 *
 * @example
 *   import { ApiError } from "signalbox/client";
 *
 *   if (error instanceof ApiError && error.code === "invalid_input")
 *     for (const { pointer, message } of error.errors) console.error(pointer, message);
 */
export class ApiError extends SignalboxError {
  override readonly name = "ApiError";
  /** What happened, e.g. `not_found`. It never changes, unlike the texts. A newer service can have other codes. */
  readonly code: ErrorCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  /** A noun phrase, the same for all problems with this code. */
  readonly title: string;
  /** What is wrong, and where. */
  readonly detail: string;
  /** How to fix it. Empty if the client does not know the code. */
  readonly fix: string;
  /** The invalid values of the request, at most 20. */
  readonly errors: readonly ProblemError[];
  /** URL of the page that explains the code. */
  readonly helpUrl: string;
  /** Whether the same request may succeed later. The client has already retried it. */
  readonly isRetryable: boolean;

  constructor(problem: Problem, baseUrl: string) {
    super(problem.detail);
    const entry = findEntry(problem.code);
    this.code = problem.code;
    this.status = problem.status;
    this.title = problem.title;
    this.detail = problem.detail;
    this.fix = entry?.fix ?? "";
    this.errors = problem.errors ?? [];
    this.helpUrl = baseUrl + problem.type;
    this.isRetryable = entry?.isRetryable ?? false;
  }
}

function findEntry(code: string): (typeof errorTable)[ErrorCode] | undefined {
  return Object.hasOwn(errorTable, code) ? errorTable[code as ErrorCode] : undefined;
}

/** The service could not be reached, did not respond in time, or something else than Signalbox responded. */
export class ConnectionError extends SignalboxError {
  override readonly name = "ConnectionError";
}

/** The run ended with another status than `completed`: `run.error` has the error of its last attempt. */
export class RunFailedError extends SignalboxError {
  override readonly name = "RunFailedError";
  readonly status: "failed" | "timed_out" | "canceled";
  readonly run: Run;

  constructor(run: Run, status: RunFailedError["status"]) {
    super(describe(run, status));
    this.run = run;
    this.status = status;
  }
}

function describe({ id, error }: Run, status: RunFailedError["status"]): string {
  const what = { failed: "failed", timed_out: "timed out", canceled: "was canceled" }[status];
  return `Run ${id} ${what}${error ? `: ${error.name}: ${error.message}` : "."}`;
}

/** The run did not end within the `timeout` of `waitFor`. It continues: call `waitFor` again to wait longer. */
export class WaitTimeoutError extends SignalboxError {
  override readonly name = "WaitTimeoutError";
  /** The run as it was last read. */
  readonly run: Run;

  constructor(run: Run, timeoutMs: number) {
    super(`Run ${run.id} has not ended within ${timeoutMs / 1000} seconds. It is ${run.status}.`);
    this.run = run;
  }
}
