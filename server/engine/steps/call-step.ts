import { AsyncLocalStorage } from "node:async_hooks";
import type { Json } from "../../contract/json.ts";
import { type Clock, startTimer } from "../../ports/clock.ts";
import { StepTimedOut } from "../run-errors.ts";
import { toJson } from "../run-values.ts";

export interface StepContext {
  idempotencyKey: string;
  signal: AbortSignal;
}

export type StepFunction = (step: StepContext) => unknown;

/** The step whose function is executing, tracked through timers, callbacks and promises. */
const enclosing = new AsyncLocalStorage<{ execution: object; key: string }>();

/** The step of this execution whose function makes the call, even if the step has ended since; `null`: none. */
export function enclosingStep(execution: object): string | null {
  const step = enclosing.getStore();
  return step?.execution === execution ? step.key : null;
}

/**
 * Makes one try of a step and returns its result as it is stored. Rejects with the error of the try, or StepTimedOut.
 * The function may continue after the timeout, but has no effect on the step.
 */
export async function callStep(p: {
  /** The execution of the run: an object of its own. */
  execution: object;
  key: string;
  fn: StepFunction;
  runId: string;
  /** The signal of the run. */
  signal: AbortSignal;
  timeoutMs: number | null;
  clock: Clock;
}): Promise<Json> {
  const idempotencyKey = `${p.runId}:${p.key}`;
  const { timeoutMs } = p;
  const call = () =>
    timeoutMs === null ? p.fn({ idempotencyKey, signal: p.signal }) : callWithin({ ...p, timeoutMs, idempotencyKey });
  const result = await enclosing.run({ execution: p.execution, key: p.key }, call);
  return toJson(result, `The result of step ${p.key}`);
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
