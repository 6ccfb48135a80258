import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AlertPlan, StoredAlert } from "../../domain/alerts/plan-alerts.ts";
import { newId } from "../../domain/ids.ts";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aClaim, aRun, epoch, type OpenStore, readPages, withRunningRun } from "./factories.ts";

const nothing: AlertPlan = { alerts: [], messages: [] };

function anAlert(given: Partial<StoredAlert> = {}): StoredAlert {
  return {
    id: newId("alt"),
    kind: "run_failed",
    subject: "workflow:welcome-email",
    count: 1,
    lastAt: epoch,
    detail: { runs: [{ id: "run_1", error: "Error: no" }] },
    openedAt: epoch,
    resolvedAt: null,
    reportedCount: null,
    ...given,
  };
}

const messageAbout = (alert: StoredAlert): AlertPlan["messages"][number] => ({
  id: newId("msg"),
  type: "alert.opened",
  destination: "webhook",
  alert,
});

const fact = (runId: string, requestedAt: number) => ({ runId, target: "agent:triage", requestedAt });

/** The tests of alerts that every store passes. */
export function alertContract(open: OpenStore): void {
  describe("alerts", () => {
    let store: Store;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    const readState = () => store.readAlertState({ endedSince: epoch, messagesSince: epoch });
    const save = async (plan: Partial<AlertPlan>, now = epoch) =>
      store.saveAlertPlan({
        plan: { ...nothing, ...plan },
        evaluatedAt: (await readState()).evaluatedAt,
        now,
      });
    const take = (now = epoch) => store.takeMessages({ now, leaseMs: 60_000, limit: 10 });
    const list = async () => (await store.listAlerts({}, { limit: 100, cursor: null })).data;

    const end = async (transition: RunTransition, now: number, over = {}) => {
      const run = await withRunningRun(store, over);
      await store.writeProgress({ runId: run.id, token: run.token, now, entries: [], transition });
      return run.id;
    };
    const failures = (since: number, sinceOf: ReadonlyMap<string, number> = new Map()) =>
      store.listFailures({ since, sinceOf });
    const prepare = async (count = 1) => {
      const alert = anAlert();
      const messages = Array.from({ length: count }, () => messageAbout(alert));
      await save({ alerts: [alert], messages });
      return { alert, messages };
    };
    const statusOf = async () => (await list())[0]?.messages[0];

    describe("failed runs", () => {
      const failed = {
        to: "failed",
        error: { name: "TypeError", message: "no\0 ".padEnd(400, "x"), stack: null },
      } as const;

      it("are counted by target, with the newest and their errors", async () => {
        for (let n = 1; n <= 5; n += 1) await end(failed, epoch + n);
        const last = await end({ to: "timed_out", error: null }, epoch + 9);
        await end({ to: "completed", output: null }, epoch + 10);
        await end(failed, epoch + 11, { target: { kind: "agent", slug: "triage" } });
        const found = (await failures(epoch + 2)).toSorted((a, b) => (a.target < b.target ? -1 : 1));
        expect(found).toMatchObject([
          { target: "agent:triage", count: 1 },
          { target: "workflow:welcome-email", count: 5, firstAt: epoch + 2, lastAt: epoch + 9 },
        ]);
        expect(found[1]?.runs).toHaveLength(3);
        expect(found[1]?.runs[0]).toEqual({ id: last, error: "Error: " });
        expect(found[1]?.runs[1]?.error).toMatch(/^TypeError: no\0 x{150,}…$/);
      });

      it("are counted since the time of their target", async () => {
        await end(failed, epoch + 1);
        await end(failed, epoch + 5);
        const name = "workflow:welcome-email";
        expect(await failures(epoch, new Map([[name, epoch + 5]]))).toMatchObject([{ count: 1 }]);
        expect(await failures(epoch + 9, new Map([[name, epoch]]))).toMatchObject([{ count: 2 }]);
        expect(await failures(epoch + 9)).toEqual([]);
      });
    });

    it("the queued runs of targets are counted, up to a limit", async () => {
      await store.createRuns([aRun(), aRun(), aRun(), aRun({ target: { kind: "agent", slug: "triage" } })]);
      await store.claimRuns(aClaim({ limit: 1 }));
      expect(
        await store.countQueuedOf([
          { target: "agent:triage", upTo: 5 },
          { target: "workflow:unknown", upTo: 5 },
          { target: "workflow:welcome-email", upTo: 5 },
          { target: "workflow:welcome-email", upTo: 1 },
        ]),
      ).toEqual([1, 0, 2, 1]);
    });

    it("undecided approvals of waiting runs are listed by their age", async () => {
      const request = async (requestedAt: number) => {
        const { id, token } = await withRunningRun(store, { target: { kind: "agent", slug: "triage" } });
        const asked = { request: { toolCallId: "a", toolName: "refund", input: {} } };
        const step = {
          kind: "approval",
          attempt: 1,
          startedAt: requestedAt,
          finishedAt: null,
          result: asked,
          sequence: null,
        } as const;
        await store.writeProgress({
          runId: id,
          token,
          now: requestedAt,
          entries: [],
          steps: [{ ...step, name: "approve", until: epoch * 2 }],
          transition: { to: "waiting", reason: "sleep", availableAt: epoch * 2 },
        });
        return id;
      };
      const [newer, older] = [await request(epoch + 5), await request(epoch + 2)];
      expect(await store.listOldApprovals(epoch + 5)).toEqual([fact(older, epoch + 2), fact(newer, epoch + 5)]);
      expect(await store.listOldApprovals(epoch + 4)).toEqual([fact(older, epoch + 2)]);
      const decision = { isApproved: true, reason: null, by: "Ada" };
      await store.decideApproval({ runId: older, name: "approve", decision, now: epoch + 9 });
      expect(await store.listOldApprovals(epoch + 9)).toEqual([fact(newer, epoch + 5)]);
    });

    it("the state has open and recently ended alerts, and counts the messages of an hour", async () => {
      expect(await readState()).toEqual({ evaluatedAt: null, open: [], ended: [], recentMessages: 0 });
      const open = anAlert({ subject: "workflow:a" });
      const [first, second] = [
        anAlert({ resolvedAt: epoch + 1 }),
        anAlert({ resolvedAt: epoch + 2, lastAt: epoch + 2 }),
      ];
      await save({ alerts: [open, first, second, anAlert({ resolvedAt: epoch - 1 })] });
      await save(
        { messages: [messageAbout(open), { ...messageAbout(open), destination: "slack" }, messageAbout(open)] },
        epoch + 7,
      );
      expect(await readState()).toEqual({
        evaluatedAt: epoch + 7,
        open: [open],
        ended: [second],
        recentMessages: 2,
      });
      expect((await store.readAlertState({ endedSince: epoch, messagesSince: epoch + 8 })).recentMessages).toBe(0);
    });

    it("of several machines, one writes the result of an evaluation", async () => {
      const results = await Promise.all(
        Array.from({ length: 5 }, () => {
          const alert = anAlert();
          return store.saveAlertPlan({
            plan: { alerts: [alert], messages: [messageAbout(alert)] },
            evaluatedAt: null,
            now: epoch,
          });
        }),
      );
      expect(results.filter((isSaved) => isSaved)).toHaveLength(1);
      expect(await list()).toHaveLength(1);
      expect(await take()).toHaveLength(1);
    });

    it("an alert changes, and keeps its id, its time and its cause", async () => {
      const alert = anAlert();
      await save({ alerts: [alert] });
      await save({
        alerts: [{ ...alert, count: 7, lastAt: epoch + 5, reportedCount: 7, detail: {}, resolvedAt: epoch + 6 }],
      });
      expect(await list()).toMatchObject([
        {
          id: alert.id,
          kind: "run_failed",
          subject: alert.subject,
          status: "resolved",
          title: "7 runs of workflow welcome-email failed",
          count: 7,
          detail: {},
          openedAt: "2026-01-01T00:00:00.000Z",
          lastAt: "2026-01-01T00:00:00.005Z",
          resolvedAt: "2026-01-01T00:00:00.006Z",
          messages: [],
        },
      ]);
    });

    it("are listed newest first, by status, in pages", async () => {
      const alerts = [1, 2, 3, 4, 5].map((n) =>
        anAlert({ subject: `workflow:w${n}`, openedAt: epoch + n, resolvedAt: n % 2 === 0 ? epoch + 9 : null }),
      );
      await save({ alerts });
      const newest = alerts.map(({ id }) => id).toReversed();
      const pages = await readPages((cursor) => store.listAlerts({}, { limit: 2, cursor }));
      expect(pages.map((page) => page.map(({ id }) => id))).toEqual([
        newest.slice(0, 2),
        newest.slice(2, 4),
        newest.slice(4),
      ]);
      const statuses = async (isActive: boolean) =>
        (await store.listAlerts({ isActive }, { limit: 100, cursor: null })).data.map(({ status }) => status);
      expect([await statuses(true), await statuses(false)]).toEqual([
        ["active", "active", "active"],
        ["resolved", "resolved"],
      ]);
      expect(await store.countActiveAlerts()).toBe(3);
    });

    describe("a message", () => {
      it("is taken by one process at a time, and again if its outcome is not written in time", async () => {
        const { alert, messages } = await prepare();
        const taken = await Promise.all([take(), take(), take()]);
        expect(taken.flat()).toEqual([{ ...messages[0], alert, createdAt: epoch, attempt: 1 }]);
        expect(await take(epoch + 59_999)).toEqual([]);
        expect(await take(epoch + 60_000)).toMatchObject([{ id: messages[0]?.id, attempt: 2 }]);
      });

      it("is taken in portions, the oldest first", async () => {
        const { messages } = await prepare(5);
        const limited = { now: epoch, leaseMs: 1000, limit: 3 };
        const [first, second] = [await store.takeMessages(limited), await store.takeMessages(limited)];
        expect([first.length, second.length]).toEqual([3, 2]);
        expect(new Set([...first, ...second].map(({ id }) => id))).toEqual(new Set(messages.map(({ id }) => id)));
      });

      it("that was sent is not taken again", async () => {
        const { messages } = await prepare();
        await take();
        await store.finishMessage({ id: messages[0]?.id ?? "", attempt: 1, outcome: { kind: "sent" }, now: epoch + 5 });
        expect(await take(epoch + 1e9)).toEqual([]);
        expect(await statusOf()).toEqual({
          id: messages[0]?.id,
          type: "alert.opened",
          destination: "webhook",
          status: "sent",
          attempts: 1,
          createdAt: "2026-01-01T00:00:00.000Z",
          sentAt: "2026-01-01T00:00:00.005Z",
          error: null,
        });
      });

      it("is retried at its time, until it has failed permanently", async () => {
        const { messages } = await prepare();
        const id = messages[0]?.id ?? "";
        await take();
        const retry = { kind: "retry", at: epoch + 500, error: "status 500" } as const;
        await store.finishMessage({ id, attempt: 1, outcome: retry, now: epoch + 1 });
        expect(await statusOf()).toMatchObject({ status: "pending", attempts: 1, error: "status 500" });
        expect(await take(epoch + 499)).toEqual([]);
        expect(await take(epoch + 500)).toMatchObject([{ attempt: 2 }]);
        await store.finishMessage({
          id,
          attempt: 2,
          outcome: { kind: "failed", error: "status 410" },
          now: epoch + 501,
        });
        expect(await statusOf()).toMatchObject({ status: "failed", attempts: 2, error: "status 410", sentAt: null });
        expect(await take(epoch + 1e9)).toEqual([]);
      });

      it("keeps the outcome of its last attempt, not of a process that was too late", async () => {
        const { messages } = await prepare();
        const id = messages[0]?.id ?? "";
        await take();
        await take(epoch + 60_000);
        await store.finishMessage({ id, attempt: 1, outcome: { kind: "failed", error: "late" }, now: epoch + 60_001 });
        expect(await statusOf()).toMatchObject({ status: "pending", attempts: 2, error: null });
      });
    });

    it("every change that pages show changes the mark of the store, and an evaluation without one does not", async () => {
      const alert = anAlert();
      const message = messageAbout(alert);
      await save({});
      const look = async () => (await store.mark()).alerts;
      const marks = [await look()];
      await save({}, epoch + 1);
      expect(await look()).toBe(marks[0]);
      await save({ alerts: [alert], messages: [message] });
      marks.push(await look());
      await take();
      await store.finishMessage({ id: message.id, attempt: 1, outcome: { kind: "sent" }, now: epoch });
      marks.push(await look());
      await save({ alerts: [{ ...alert, resolvedAt: epoch }] });
      marks.push(await look());
      expect(new Set(marks).size).toBe(4);
    });

    it("that ended long ago are removed with their messages, active ones never", async () => {
      const [old, recent, active] = [
        anAlert({ resolvedAt: epoch - 1 }),
        anAlert({ resolvedAt: epoch }),
        anAlert({ subject: "workflow:a", openedAt: 1 }),
      ];
      await save({ alerts: [old, recent, active], messages: [messageAbout(old), messageAbout(active)] });
      expect(await store.removeOldAlerts({ before: epoch })).toEqual({ removed: 1, next: null });
      expect((await list()).map(({ id }) => id).toSorted()).toEqual([recent.id, active.id].toSorted());
      expect((await take()).map(({ alert }) => alert.id)).toEqual([active.id]);
    });
  });
}
