import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { findReplayProblem, type ReplayStore, trees } from "../../engine/testing/replay-checker.ts";
import { aClaim, aRun, type OpenStore } from "./factories.ts";

/** `REPLAY_RUNS=1000` looks for longer. */
const numRuns = Math.ceil(Number(process.env["REPLAY_RUNS"] ?? 300) / 30);

/** The tests of the order in which a run receives its stored completions; every store passes them. */
export function replayContract(open: OpenStore): void {
  describe("the completions of a run", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("are delivered in their recorded order by every execution, even if its workers are killed", async () => {
      await fc.assert(
        fc.asyncProperty(trees, fc.integer({ min: 0 }), async (tree, seed) => {
          expect(await findReplayProblem(tree, { seed, open: (facts) => openReplayStore(store, facts) })).toBeNull();
        }),
        { numRuns, endOnFailure: true },
      );
    });
  });
}

/** A run of the store. Nothing else is claimed: each run ends before the next one is created. */
async function openReplayStore(store: Store, facts: { maxAttempts: number; createdAt: number }): Promise<ReplayStore> {
  const { id } = aRun();
  const workerId = "wrk_test";
  const target = { kind: "workflow", slug: "work" } as const;
  await store.createRuns([aRun({ id, target, trigger: null, attachmentId: null, payload: null, input: {}, ...facts })]);
  return {
    async claim(now) {
      const [run] = await store.claimRuns(aClaim({ now, workerId, limit: 1, leaseMs: 1e12 }));
      if (run?.id !== id) throw new Error("The run is not due.");
      const { payloadText: _, inputText: __, ...attempt } = run;
      return {
        ...attempt,
        payload: null,
        input: {},
        steps: await store.loadSteps(id),
        headers: null,
        request: null,
        failure: null,
        parents: [],
      };
    },
    writeProgress: (progress) => store.writeProgress(progress),
    release: (now) =>
      store.releaseLostRuns({ workerId, now, message: "crashed", runs: [{ id, fate: { kind: "resume" } }] }),
  };
}
