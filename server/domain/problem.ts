import { AppError } from "../contract/app-error.ts";
import { errorCodes } from "../contract/error-codes.ts";
import type { Problem, ProblemError } from "../contract/problem.ts";
import type { Target } from "../contract/project/target.ts";
import { shortPointer } from "../shared/json/json-pointer.ts";
import { redactText } from "./privacy/redaction.ts";

const maxErrors = 20;

/** When a client may send a request again that was rejected because of a limit. */
export const retryAfterSeconds = "5";

/**
 * The RFC 9457 problem of an expected failure, the same for webhooks, REST, tRPC and sign-in. Its texts may repeat
 * parts of the request, so keys of this service and `secrets` are redacted.
 */
export function toProblem(error: AppError, secrets: readonly string[] = []): Problem {
  const { status, title } = errorCodes[error.code];
  const redact = (text: string) => redactText(text, secrets);
  const problem: Problem = {
    type: `/errors/${error.code}`,
    title,
    status,
    code: error.code,
    detail: redact(error.message),
  };
  if (error.errors.length > 0)
    problem.errors = error.errors.slice(0, maxErrors).map(({ pointer, code, message }) => ({
      pointer: redact(pointer),
      code,
      message: redact(message),
    }));
  return problem;
}

interface SchemaIssue {
  path: readonly PropertyKey[];
  code?: string | undefined;
  message: string;
}

/** The failure of an input that does not match its schema. The first issue is in the text, with its path. */
export function schemaFailure(
  issues: readonly SchemaIssue[],
  p: { code: "invalid_request" | "invalid_input"; prefix?: string; fallback: string; cause?: unknown },
): AppError {
  const errors = issuesToErrors(issues);
  const [first] = errors;
  const path = first?.pointer ? `${first.pointer.slice(1)}: ` : "";
  const detail = (p.prefix ?? "") + (first ? path + first.message : p.fallback);
  return new AppError(p.code, detail, { errors, cause: p.cause });
}

export function issuesToErrors(issues: readonly SchemaIssue[]): ProblemError[] {
  return issues.map(({ path, code = "custom", message }) => ({ pointer: shortPointer(path), code, message }));
}

/**
 * Stops work for a client that has disconnected. Unlike the reason of the signal, which can be anything, its error is
 * an expected failure on every way back; the response reaches no one.
 */
export function stopIfDisconnected(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AppError("incomplete_body", "The connection closed before the response.");
}

/** The failure behind an unexpected error. Its text has no details: they are in the log. */
export function internalError(cause: unknown, requestId?: string): AppError {
  return new AppError(
    "internal",
    `The log of the service has the details${requestId === undefined ? "" : `, with requestId ${requestId}`}.`,
    { cause },
  );
}

/** The reason why `adds` more runs were not queued: AppError `queue_full`. */
export function queueFull({ target, maxQueued, adds }: { target: Target; maxQueued: number; adds: number }): AppError {
  const name = `${target.kind} ${target.slug}`;
  if (adds > maxQueued)
    return new AppError(
      "queue_full",
      `This would queue ${adds} runs of ${name} at once, but its maxQueued is ${maxQueued}. Raise maxQueued.`,
    );
  const room = adds === 1 ? "is full" : `has no room for ${adds} more runs`;
  return new AppError(
    "queue_full",
    `The queue of ${name} ${room}: its maxQueued is ${maxQueued}. No run was started. Send the request again later, or raise maxQueued.`,
  );
}
