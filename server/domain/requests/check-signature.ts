import { createContext, Script } from "node:vm";
import type { SenderAnswer, SignatureFault, SignedRequest, VerificationDefinition } from "../../../sdk/definition.ts";
import { AppError } from "../../contract/app-error.ts";
import { formatInterval } from "../../shared/format.ts";

/** The time that a check may take, if it runs code of the project or waits for another server. */
const maxCheckMs = 2_000;

/** AppError `invalid_signature`, or `verification_failed`. */
export function signatureError({ kind, detail, cause }: CheckedFault): AppError {
  return new AppError(kind === "failed" ? "verification_failed" : "invalid_signature", detail, { cause });
}

/** `cause`: what a check of the project threw. */
export type CheckedFault = SignatureFault & { cause?: unknown };

/** Runs the check of a verification, and limits its time if necessary. Never rejects. */
export function checkSignature(
  verification: VerificationDefinition,
  request: SignedRequest,
  maxMs: number = maxCheckMs,
): CheckedFault | null | Promise<CheckedFault | null> {
  if (!verification.isTimed) {
    const fault = verification.check(request);
    if (!(fault instanceof Promise)) return fault;
  }
  return withinTime(maxMs, (signal) => verification.check(request, signal)).catch((error: unknown) =>
    describeFailure(verification.scheme, maxMs, error),
  );
}

/** Answers a challenge, and limits the time for it. Rejects with AppError `verification_failed`. */
export function answerWithinTime(
  { scheme, answer }: VerificationDefinition,
  body: unknown,
  request: SignedRequest,
  maxMs: number = maxCheckMs,
): Promise<SenderAnswer | null> {
  return withinTime(maxMs, (signal) => answer(body, request, signal)).catch((cause: unknown) => {
    const reason = cause instanceof TimeLimitError ? `it took more than ${formatInterval(maxMs)}` : String(cause);
    throw new AppError("verification_failed", `The challenge of the sender was not answered (${scheme}): ${reason}.`, {
      cause,
    });
  });
}

/**
 * Runs code of the project, or code that waits for another server. Rejects with a TimeLimitError, or with what the code
 * throws. A loop that does not end is interrupted, too, unless it begins after the first `await` of the code. The
 * result of such a loop is too late if it ends at all.
 */
async function withinTime<T>(maxMs: number, run: (signal: AbortSignal) => T | Promise<T>): Promise<T> {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError()), maxMs);
  });
  const startedAt = performance.now();
  try {
    const result = await Promise.race([timeout, interruptible(maxMs, () => run(stopping.signal))]);
    // Code that blocks the event loop ends before the timer can.
    if (performance.now() - startedAt > maxMs) throw new TimeLimitError();
    return result;
  } finally {
    clearTimeout(timer);
    stopping.abort();
  }
}

class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

const nothing = (): void => {};
const sandbox: { run: () => void } = { run: nothing };
const script = new Script("run()");
let context: object | null = null;

/** Only the engine can interrupt a loop: `timeout` applies to all code that a script calls, wherever it is defined. */
function interruptible<T>(timeoutMs: number, run: () => T): T {
  context ??= createContext(sandbox);
  const results: T[] = [];
  sandbox.run = () => void results.push(run());
  try {
    script.runInContext(context, { timeout: timeoutMs });
  } catch (error) {
    throw isTimeout(error) ? new TimeLimitError() : error;
  } finally {
    sandbox.run = nothing;
  }
  const [result] = results;
  return result as T;
}

function isTimeout(error: unknown): boolean {
  // It is an error of another context: `instanceof Error` is false.
  return typeof error === "object" && error !== null && Reflect.get(error, "code") === "ERR_SCRIPT_EXECUTION_TIMEOUT";
}

function describeFailure(scheme: string, maxMs: number, error: unknown): CheckedFault {
  if (error instanceof TimeLimitError)
    return {
      kind: "failed",
      detail: `The check of the signature did not finish within ${formatInterval(maxMs)} (${scheme}).`,
      cause: error,
    };
  return {
    kind: "failed",
    detail: `The check of the signature threw an error (${scheme}). The log of the server has the error.`,
    cause: error,
  };
}
