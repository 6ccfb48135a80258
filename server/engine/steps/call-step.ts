import type { Json } from "../../contract/json.ts";
import { type Clock, startTimer } from "../../ports/clock.ts";
import { StepTimedOut } from "../run-errors.ts";
import { toJson } from "../run-values.ts";

export interface StepContext {
  idempotencyKey: string;
  signal: AbortSignal;
}

export type StepFunction = (step: StepContext) => unknown;

const maxResultBytes = 16_000_000;

/**
 * Makes one try of a step and returns its result as it is stored. Rejects with the error of the try, or StepTimedOut.
 * The function may continue after the timeout, but has no effect on the step.
 */
export async function callStep(p: {
  key: string;
  fn: StepFunction;
  runId: string;
  /** The signal of the run. */
  signal: AbortSignal;
  timeoutMs: number | null;
  clock: Clock;
}): Promise<Json> {
  const idempotencyKey = `${p.runId}:${p.key}`;
  const result =
    p.timeoutMs === null
      ? await p.fn({ idempotencyKey, signal: p.signal })
      : await callWithin({ ...p, timeoutMs: p.timeoutMs, idempotencyKey });
  return toJson(result, `The result of step ${p.key}`, maxResultBytes);
}

async function callWithin(p: {
  key: string;
  fn: StepFunction;
  signal: AbortSignal;
  timeoutMs: number;
  clock: Clock;
  idempotencyKey: string;
}): Promise<unknown> {
  const limit = new AbortController();
  const timedOut = Promise.withResolvers<never>();
  const follow = () => limit.abort(p.signal.reason);
  p.signal.addEventListener("abort", follow);
  const expire = () => {
    const error = new StepTimedOut(p.key, p.timeoutMs);
    timedOut.reject(error);
    limit.abort(error);
  };
  const stop = startTimer(p.clock, expire, p.timeoutMs);
  try {
    return await Promise.race([p.fn({ idempotencyKey: p.idempotencyKey, signal: limit.signal }), timedOut.promise]);
  } finally {
    stop();
    p.signal.removeEventListener("abort", follow);
  }
}
