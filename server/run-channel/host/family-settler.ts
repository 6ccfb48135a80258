import type { Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { EngineStore } from "../../ports/store/engine-store.ts";

/** Reports the ends of runs to their parents and children; see `settleRuns` of the store. */
export interface FamilySettler {
  /** Cheap; safe to call at any time. Never throws: what fails is repeated with the next call. */
  settle(): void;
  /** Resolves when none is in progress. */
  close(): Promise<void>;
}

/** In one transaction. */
const runsAtOnce = 200;

export function createFamilySettler(p: {
  store: Pick<EngineStore, "settleRuns">;
  clock: Clock;
  logger: Logger;
  /** Called when runs may be due. */
  onSettled: () => void;
}): FamilySettler {
  let inProgress: Promise<void> | null = null;
  let isCalledAgain = false;
  let isClosed = false;
  const mayContinue = () => !isClosed;

  async function settleAll(): Promise<void> {
    do {
      isCalledAgain = false;
      try {
        while (mayContinue() && (await p.store.settleRuns({ now: p.clock.now(), limit: runsAtOnce }))) p.onSettled();
      } catch (error) {
        p.logger.warn("could not report the end of runs to their parents and children, trying again", { error });
      }
    } while (isCalledAgain && mayContinue());
    inProgress = null;
  }

  return {
    settle() {
      if (isClosed) return;
      isCalledAgain = true;
      inProgress ??= settleAll();
    },
    async close() {
      isClosed = true;
      await inProgress;
    },
  };
}
