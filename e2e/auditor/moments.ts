import type { Effect } from "./facts.ts";

/**
 * The time of a kill: any time, when a client receives a 202, when a step has just begun, or between its effect and its
 * record.
 */
export type Moment = "any" | "acknowledged" | "step_begun" | "step_done";

export interface Moments {
  /**
   * Calls back in the same turn of the event loop in which the moment is reported, or after the maximum wait. `effect`
   * is that of a step. With `step`, only steps with that name count. `waitMs`: maximum wait for this moment.
   */
  at<Result>(
    wanted: Moment,
    act: (effect: Effect | null) => Result,
    p?: { step?: string | undefined; waitMs?: number | undefined },
  ): Promise<Result>;
  sawAcknowledgement(): void;
  sawEffect(effect: Effect): void;
}

/** `waitMs` is the maximum wait for a moment. */
export function createMoments({ waitMs }: { waitMs: number }): Moments {
  let watching: ((moment: Moment, effect: Effect | null) => void) | null = null;
  return {
    at(wanted, act, { step, waitMs: ownWaitMs } = {}) {
      if (wanted === "any") return Promise.resolve(act(null));
      return new Promise((resolve) => {
        const timer = setTimeout(() => finish(null), ownWaitMs ?? waitMs);
        const finish = (effect: Effect | null) => {
          watching = null;
          clearTimeout(timer);
          resolve(act(effect));
        };
        watching = (moment, effect) =>
          moment === wanted && (step === undefined || effect?.step === step) && finish(effect);
      });
    },
    sawAcknowledgement: () => watching?.("acknowledged", null),
    sawEffect: (effect) => watching?.(effect.phase === "begin" ? "step_begun" : "step_done", effect),
  };
}
