import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../ports/store.ts";
import { aClaim, aRun, epoch, type OpenStore } from "./factories.ts";

/** The tests of open runs and their builds that every store passes. */
export function openRunContract(open: OpenStore): void {
  describe("open runs", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    it("are counted by the version that accepted them, and no longer when they have ended", async () => {
      expect(await store.countOpenRunsByVersion()).toEqual(new Map());
      await store.createRuns([aRun({ version: "v1" }), aRun({ version: "v1" }), aRun({ version: "v2" })]);
      expect(await store.countOpenRunsByVersion()).toEqual(
        new Map([
          ["v1", 2],
          ["v2", 1],
        ]),
      );
      const [first] = await store.claimRuns(aClaim({ limit: 1 }));
      if (!first) throw new Error("no run is due");
      expect((await store.countOpenRunsByVersion()).get("v1")).toBe(2);
      const { id: runId, token } = first;
      const transition = { to: "completed", output: null } as const;
      await store.writeProgress({ runId, token, now: epoch + 2_000, entries: [], transition });
      expect([...(await store.countOpenRunsByVersion()).values()].reduce((sum, runs) => sum + runs, 0)).toBe(2);
    });

    it("are listed oldest first, with what another build must have", async () => {
      const runs = [0, 1, 2].map((n) =>
        aRun({ createdAt: epoch + n, version: `v${n}`, trigger: "paid", attachmentId: "paid:receipt" }),
      );
      for (const run of runs) await store.createRuns([run]);
      const [first, second] = runs;
      expect(await store.listOpenRuns({ limit: 2 })).toEqual(
        [first, second].map((run) => ({
          id: run?.id,
          version: run?.version,
          target: run?.target,
          attachmentId: "paid:receipt",
        })),
      );
    });

    it("have the input that was recorded, and the names of their steps in order", async () => {
      const fresh = aRun({ createdAt: epoch });
      const started = aRun({ createdAt: epoch + 1, input: { to: "\u0000 \ud800", n: 1 } });
      await store.createRuns([fresh]);
      await store.createRuns([started]);
      const claimed = await store.claimRuns(aClaim());
      const { token = "" } = claimed.find(({ id }) => id === started.id) ?? {};
      const step = { attempt: 1, startedAt: epoch, result: null, sequence: null };
      await store.writeProgress({
        runId: started.id,
        token,
        now: epoch + 2_000,
        entries: [],
        steps: [
          { ...step, name: "send", kind: "step", finishedAt: epoch, until: null },
          { ...step, name: "settle", kind: "sleep", finishedAt: null, until: epoch + 60_000 },
        ],
        transition: { to: "waiting", reason: "sleep", availableAt: epoch + 60_000 },
      });
      const records = await store.readOpenRuns([fresh.id, started.id, "run_01K9ZR7M3QD4V8XN2T5B6C7E8F"]);
      expect(records.toSorted((a, b) => a.steps.length - b.steps.length)).toEqual([
        { id: fresh.id, input: null, steps: [] },
        {
          id: started.id,
          input: { to: "\u0000 \ud800", n: 1 },
          steps: [
            { name: "send", kind: "step" },
            { name: "settle", kind: "sleep" },
          ],
        },
      ]);
    });

    it("are executed by the build that accepted them while the worker's machine keeps it", async () => {
      const versions = ["v1", "v2", "v3"];
      const runs = versions.map((version, n) => aRun({ version, createdAt: epoch - 60_000 + n }));
      const latest = aRun({
        version: "v2",
        createdAt: epoch - 50_000,
        target: { kind: "workflow", slug: "report" },
      });
      await store.createRuns([...runs, latest]);
      const claimed = await store.claimRuns(
        aClaim({
          version: "v3",
          keptVersions: new Set(["v2"]),
          latestTargets: new Set(["workflow:report"]),
        }),
      );
      const buildOf = new Map(claimed.map(({ id, build }) => [id, build]));
      expect(runs.map(({ id }) => buildOf.get(id))).toEqual([
        { acceptedBy: "v1", version: "v3" },
        { acceptedBy: "v2", version: "v2" },
        undefined,
      ]);
      expect(buildOf.get(latest.id)).toEqual({ acceptedBy: "v2", version: "v3" });
      const notes = await Promise.all(
        [...runs, latest].map(async ({ id }) => {
          const entries = await store.listTimeline(id, { after: 0, limit: 10 });
          return entries.map(({ kind, message }) => [kind, message]);
        }),
      );
      expect(notes).toEqual([
        [
          ["queued", null],
          ["attempt_started", "Executed by version v3: no worker has version v1, which accepted the run."],
        ],
        [
          ["queued", null],
          ["attempt_started", null],
        ],
        [
          ["queued", null],
          ["attempt_started", null],
        ],
        [
          ["queued", null],
          ["attempt_started", "Executed by version v3: it is the latest version, and v2 accepted the run."],
        ],
      ]);
    });
  });
}
