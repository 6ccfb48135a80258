import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { DeliveryOutcome, Verdict, VerdictOutcome } from "../../contract/delivery.ts";
import type { Target } from "../../contract/project/target.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aDelivery, aRun, aVerdict, epoch, type OpenStore } from "./factories.ts";

const minute = 60_000;
const hour = 3_600_000;

/** The tests of traffic counts that every store passes. */
export function trafficContract(open: OpenStore): void {
  describe("traffic", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const record = (given: Partial<NewDelivery>) => store.recordDelivery(aDelivery(given));
    const countVerdicts = async (window: Parameters<Store["countVerdicts"]>[0]) =>
      (await store.countVerdicts(window)).verdicts;
    const countTargets = async (window: Parameters<Store["countVerdicts"]>[0]) =>
      (await store.countVerdicts(window)).targets;
    const wholeDay = { since: epoch, until: epoch + 24 * hour, bucketMs: minute } as const;

    it("counts deliveries by endpoint, minute and outcome, oldest first", async () => {
      await record({ receivedAt: epoch + minute });
      await record({ receivedAt: epoch + minute + 59_999 });
      await record({ receivedAt: epoch + 59_999, outcome: "rejected" });
      await record({ receivedAt: epoch + 2 * minute, endpoint: "billing" });
      await record({ receivedAt: epoch + 2 * minute, endpoint: "ci" });
      expect(
        await store.countDeliveries({ ...wholeDay, endpoints: ["signup", "billing", "signup", "unknown"] }),
      ).toEqual([
        { endpoint: "signup", at: epoch, outcome: "rejected", count: 1 },
        { endpoint: "signup", at: epoch + minute, outcome: "accepted", count: 2 },
        { endpoint: "billing", at: epoch + 2 * minute, outcome: "accepted", count: 1 },
      ]);
      expect(await store.countDeliveries({ ...wholeDay, endpoints: [] })).toEqual([]);
    });

    it("counts all endpoints together, including unknown ones", async () => {
      await record({ receivedAt: epoch + 5 });
      await record({ receivedAt: epoch + 6, endpoint: "billing" });
      await record({ receivedAt: epoch + 7, endpoint: "x".repeat(5000), outcome: "rejected" });
      expect(await store.countDeliveries({ ...wholeDay, bucketMs: hour, endpoints: null })).toEqual([
        { endpoint: "", at: epoch, outcome: "accepted", count: 2 },
        { endpoint: "", at: epoch, outcome: "rejected", count: 1 },
      ]);
    });

    it("rounds a window down to whole buckets, without the last one", async () => {
      for (let n = 0; n < 4; n += 1) await record({ receivedAt: epoch + n * minute });
      const counts = await store.countDeliveries({
        since: epoch + minute + 1,
        until: epoch + 3 * minute + 1,
        bucketMs: minute,
        endpoints: ["signup"],
      });
      expect(counts.map(({ at }) => at)).toEqual([epoch + minute, epoch + 2 * minute]);
    });

    it("counts the verdicts of the attachments on endpoints", async () => {
      const verdicts: Verdict[] = [
        aVerdict({ attachmentId: "a:x", outcome: "matched" }),
        aVerdict({ attachmentId: "b:y", outcome: "filter_mismatch" }),
      ];
      await record({ verdicts });
      await record({ verdicts, receivedAt: epoch + hour });
      await record({ verdicts: [aVerdict({ attachmentId: "b:y", outcome: "matched" })] });
      await record({ verdicts: [aVerdict({ attachmentId: "c:z" })], endpoint: "billing" });
      const all = [
        { attachmentId: "a:x", outcome: "matched", count: 2 },
        { attachmentId: "b:y", outcome: "filter_mismatch", count: 2 },
        { attachmentId: "b:y", outcome: "matched", count: 1 },
      ];
      for (const bucketMs of [minute, hour] as const) {
        expect(await countVerdicts({ ...wholeDay, bucketMs, endpoints: ["signup", "signup"] })).toEqual(all);
      }
      expect(await countVerdicts({ ...wholeDay, until: epoch + hour, endpoints: ["signup", "billing"] })).toEqual([
        { attachmentId: "a:x", outcome: "matched", count: 1 },
        { attachmentId: "b:y", outcome: "filter_mismatch", count: 1 },
        { attachmentId: "b:y", outcome: "matched", count: 1 },
        { attachmentId: "c:z", outcome: "matched", count: 1 },
      ]);
    });

    it("counts a delivery once for a target, by its best verdict, regardless of its number of triggers", async () => {
      await record({
        verdicts: verdictsOf({ "a:x": "matched", "b:x": "matched", "c:x": "filter_mismatch", "d:y": "matched" }),
      });
      await record({
        verdicts: verdictsOf({
          "a:x": "request_mismatch",
          "b:x": "filter_mismatch",
          "c:x": "disabled",
          "d:y": "disabled",
        }),
      });
      await record({
        verdicts: verdictsOf({ "a:x": "request_mismatch", "b:x": "headers_mismatch", "c:x": "disabled" }),
        receivedAt: epoch + hour,
      });
      // Only one of the triggers, as in a redelivery to it.
      await record({ verdicts: verdictsOf({ "b:x": "matched" }), receivedAt: epoch + hour });
      await record({ verdicts: verdictsOf({ "e:x": "matched", "f:x": "matched" }), endpoint: "billing" });
      const all = [
        { endpoint: "signup", target: "x", outcome: "filter_mismatch", count: 1 },
        { endpoint: "billing", target: "x", outcome: "matched", count: 1 },
        { endpoint: "signup", target: "x", outcome: "matched", count: 2 },
        { endpoint: "signup", target: "x", outcome: "request_mismatch", count: 1 },
        { endpoint: "signup", target: "y", outcome: "disabled", count: 1 },
        { endpoint: "signup", target: "y", outcome: "matched", count: 1 },
      ];
      for (const bucketMs of [minute, hour] as const) {
        expect(await countTargets({ ...wholeDay, bucketMs, endpoints: ["signup", "billing", "signup"] })).toEqual(all);
      }
      const firstHour = await countTargets({ ...wholeDay, until: epoch + hour, endpoints: ["signup"] });
      expect(firstHour.filter(({ target }) => target === "x").map(({ outcome, count }) => [outcome, count])).toEqual([
        ["filter_mismatch", 1],
        ["matched", 1],
      ]);
      // The counts of the triggers are unchanged.
      expect(
        (await countVerdicts({ ...wholeDay, endpoints: ["signup"] })).map(({ attachmentId }) => attachmentId),
      ).not.toContain("*:x");
    });

    it("counts only the verdicts that a delivery lists", async () => {
      await record({
        verdicts: [aVerdict({ trigger: "a", attachmentId: "a:x", outcome: "request_mismatch" })],
        unlistedVerdicts: [{ outcome: "filter_mismatch", pointer: "/type", actual: null, count: 990 }],
      });
      expect(
        (await countVerdicts({ ...wholeDay, bucketMs: minute, endpoints: ["signup"] })).map(({ count }) => count),
      ).toEqual([1]);
    });

    it("counts the verdicts of one trigger over time", async () => {
      const both = [
        aVerdict({ trigger: "a", attachmentId: "a:x" }),
        aVerdict({ trigger: "a", attachmentId: "a:y" }),
        aVerdict({ trigger: "ab", attachmentId: "ab:x" }),
      ];
      await record({ verdicts: both, receivedAt: epoch + hour });
      await record({ verdicts: both, receivedAt: epoch + hour + 5 });
      await record({ verdicts: [aVerdict({ trigger: "a", attachmentId: "a:x", outcome: "filter_mismatch" })] });
      await record({ verdicts: both, endpoint: "billing" });
      const window = { ...wholeDay, endpoint: "signup", trigger: "a" } as const;
      const all = [
        { at: epoch, attachmentId: "a:x", outcome: "filter_mismatch", count: 1 },
        { at: epoch + hour, attachmentId: "a:x", outcome: "matched", count: 2 },
        { at: epoch + hour, attachmentId: "a:y", outcome: "matched", count: 2 },
      ];
      for (const bucketMs of [minute, hour] as const)
        expect(await store.countVerdictBuckets({ ...window, bucketMs })).toEqual(all);
      expect(await store.countVerdictBuckets({ ...window, until: epoch + hour })).toEqual(all.slice(0, 1));
      expect(await store.countVerdictBuckets({ ...window, trigger: "unknown" })).toEqual([]);
    });

    it("keeps verdicts by minute for two days, and by hour permanently", async () => {
      const days = 24 * hour;
      for (const at of [0, 1 * minute, 2 * days, 2 * days + hour, 9 * days]) {
        await record({ receivedAt: epoch + at, verdicts: [aVerdict()] });
        const window = { since: epoch + at - 2 * days, until: epoch + at + minute, endpoints: ["signup"] };
        expect((await countVerdicts({ ...window, bucketMs: minute }))[0]?.count).toBe(
          (await store.countDeliveries({ ...window, bucketMs: minute })).length,
        );
      }
      const all = { since: epoch, until: epoch + 10 * days, endpoints: ["signup"] };
      expect((await countVerdicts({ ...all, bucketMs: hour }))[0]?.count).toBe(5);
      expect(await store.countDeliveries({ ...all, bucketMs: minute })).toHaveLength(5);
    });

    it("counts the verdicts of any range of hours", async () => {
      const received = Array.from({ length: 18 }, (_, n) => epoch + n * 7 * hour);
      await Promise.all(received.map((receivedAt) => record({ receivedAt, verdicts: [aVerdict()] })));
      for (let since = 0; since < 130; since += 9) {
        for (let until = since; until < 135; until += 11) {
          const window = {
            since: epoch + since * hour,
            until: epoch + until * hour,
            bucketMs: hour,
            endpoints: ["signup"],
          } as const;
          const count = received.filter((at) => at >= window.since && at < window.until).length;
          expect((await countVerdicts(window))[0]?.count ?? 0).toBe(count);
        }
      }
    });

    it("counts recorded deliveries, and neither failed nor repeated ones", async () => {
      const taken = aDelivery();
      await store.recordDelivery(taken);
      const idempotency = { key: "k", notBefore: 0 };
      const accept = (given: Partial<NewDelivery>) =>
        store.acceptDelivery({ delivery: aDelivery(given), runs: [], idempotency });
      // They share a commit, and one of them fails it: the others are then written separately.
      const outcomes = await Promise.allSettled([
        accept({}),
        store.recordDelivery(taken),
        accept({}),
        record({ outcome: "skipped" }),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect(await store.countDeliveries({ ...wholeDay, endpoints: ["signup"] })).toEqual([
        { endpoint: "signup", at: epoch, outcome: "accepted", count: 2 },
        { endpoint: "signup", at: epoch, outcome: "skipped", count: 1 },
      ]);
    });

    it("counts every delivery and every verdict once, in minutes and in hours", async () => {
      const deliveries = fc.array(
        fc.record({
          at: fc.integer({ min: 0, max: 3 * hour }),
          endpoint: fc.constantFrom("a", "b"),
          outcome: fc.constantFrom<DeliveryOutcome>("accepted", "rejected"),
          verdicts: fc.array(fc.constantFrom<VerdictOutcome>("matched", "disabled"), { maxLength: 2 }),
        }),
        { maxLength: 12 },
      );
      await fc.assert(
        fc.asyncProperty(deliveries, async (rows) => {
          const own = await open();
          await Promise.all(
            rows.map(({ at, endpoint, outcome, verdicts }) =>
              own.recordDelivery(
                aDelivery({
                  receivedAt: epoch + at,
                  endpoint,
                  outcome,
                  verdicts: verdicts.map((verdict, n) =>
                    aVerdict({ attachmentId: `${endpoint}${n}:x`, outcome: verdict }),
                  ),
                }),
              ),
            ),
          );
          for (const bucketMs of [minute, hour] as const) {
            const window = { ...wholeDay, bucketMs };
            const expected = tally(
              rows.map(({ at, endpoint, outcome }) => [endpoint, epoch + at - (at % bucketMs), outcome]),
            );
            const counted = await own.countDeliveries({ ...window, endpoints: ["a", "b"] });
            expect(
              counted.map(({ endpoint, at, outcome, count }) => [endpoint, at, outcome, count].join()).sort(),
            ).toEqual(expected);
            const { verdicts, targets } = await own.countVerdicts({ ...window, endpoints: ["a", "b"] });
            expect(
              verdicts.map(({ attachmentId, outcome, count }) => [attachmentId, outcome, count].join()).sort(),
            ).toEqual(
              tally(
                rows.flatMap(({ endpoint, verdicts: outcomes }) =>
                  outcomes.map((outcome, n) => [`${endpoint}${n}:x`, outcome]),
                ),
              ),
            );
            const decided = rows.filter(({ verdicts: outcomes }) => outcomes.length > 0);
            expect(
              targets.map(({ endpoint, target, outcome, count }) => [endpoint, target, outcome, count].join()).sort(),
            ).toEqual(
              tally(
                decided.map(({ endpoint, verdicts: outcomes }) => [
                  endpoint,
                  "x",
                  outcomes.includes("matched") ? "matched" : "disabled",
                ]),
              ),
            );
            const together = await own.countDeliveries({ ...window, endpoints: null });
            expect(together.reduce((sum, { count }) => sum + count, 0)).toBe(rows.length);
          }
          await own.close();
        }),
        { numRuns: 20 },
      );
    });

    it("summarizes the runs of targets, in the requested order", async () => {
      const target: Target = { kind: "workflow", slug: "welcome-email" };
      const runs = [0, 1, 2, 3, 4].map((n) => aRun({ createdAt: epoch + n, target }));
      await store.createRuns([
        ...runs,
        aRun({ target: { kind: "agent", slug: "welcome-email" }, createdAt: epoch + 99 }),
      ]);
      const claimed = await store.claimRuns(aClaim({ limit: 4, now: epoch + 1000 }));
      for (const [n, { id, token }] of claimed.entries()) {
        const ending =
          n < 3 ? ({ to: "completed", output: null } as const) : ({ to: "timed_out", error: null } as const);
        await store.writeProgress({
          runId: id,
          token,
          now: epoch + 1000 + (n + 1) * 10,
          entries: [],
          transition: ending,
        });
      }
      const other: Target = { kind: "workflow", slug: "other" };
      const [unknown, known] = await store.summarizeTargets({ targets: [other, target], since: epoch + 1 });
      expect(unknown).toEqual({
        target: other,
        runs: 0,
        isCapped: false,
        completed: 0,
        failed: 0,
        open: 0,
        p50Ms: null,
        lastRun: null,
      });
      expect(known).toMatchObject({
        target,
        runs: 4,
        isCapped: false,
        completed: 2,
        failed: 1,
        open: 1,
        p50Ms: 20,
        lastRun: { id: runs[4]?.id, status: "queued" },
      });
      const [late] = await store.summarizeTargets({ targets: [target], since: epoch + 5 });
      expect(late).toMatchObject({ runs: 0, lastRun: { id: runs[4]?.id } });
    });

    it("summarizes the newest 200 runs of a target, and reports that there are more", async () => {
      await store.createRuns(Array.from({ length: 200 }, () => aRun()));
      const summarize = async () => (await store.summarizeTargets({ targets: [aRun().target], since: 0 }))[0];
      expect(await summarize()).toMatchObject({ runs: 200, isCapped: false, open: 200 });
      await store.createRuns([aRun()]);
      expect(await summarize()).toMatchObject({ runs: 200, isCapped: true, open: 200 });
    });

    it("finds runs and deliveries by the beginning or end of their ids, newest first", async () => {
      const runs = ["run_01A1XY", "run_01A2XZ", "run_01B3XY"].map((id, n) => aRun({ id, createdAt: epoch + n }));
      await store.createRuns(runs);
      for (const [n, id] of ["dlv_01A1XY", "dlv_01A4%_"].entries()) await record({ id, receivedAt: epoch + n });
      const find = async (text: string, limit = 10) => {
        const found = await store.searchIds({ text, limit });
        return [...found.runs, ...found.deliveries].map(({ id }) => id);
      };
      expect(await find("run_01A")).toEqual(["run_01A2XZ", "run_01A1XY"]);
      expect(await find("XY")).toEqual(["run_01B3XY", "run_01A1XY", "dlv_01A1XY"]);
      expect(await find("xy")).toEqual(["run_01B3XY", "run_01A1XY", "dlv_01A1XY"]);
      expect(await find("01a1")).toEqual(["run_01A1XY", "dlv_01A1XY"]);
      expect(await find("RUN_01B3XY")).toEqual(["run_01B3XY"]);
      expect(await find("run_01A", 1)).toEqual(["run_01A2XZ"]);
      expect(await find("%_")).toEqual(["dlv_01A4%_"]);
      for (const text of ["", "nothing", "\ud800", "1X"]) expect(await find(text)).toEqual([]);
    });
  });
}

/** Verdicts by attachment. */
function verdictsOf(outcomes: Record<string, VerdictOutcome>): Verdict[] {
  return Object.entries(outcomes).map(([attachmentId, outcome]) =>
    aVerdict({ trigger: attachmentId.split(":")[0] ?? "", attachmentId, outcome }),
  );
}

/** Counts equal keys, as text. */
function tally(keys: (string | number)[][]): string[] {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key.join(), (counts.get(key.join()) ?? 0) + 1);
  return [...counts].map(([key, count]) => `${key},${count}`).sort();
}
