import { describe, expect, it, vi } from "vitest";
import { pageSchema } from "../../../contract/list.ts";
import { runSchema, runSummarySchema } from "../../../contract/run.ts";
import { timelineEntrySchema } from "../../../contract/timeline.ts";
import { bearer, deliver, executeRuns, makeKey, openTestService, paidBody } from "../testing/test-service.ts";

const runPage = pageSchema(runSummarySchema);
const timelinePage = pageSchema(timelineEntrySchema);

describe("GET /api/v1/runs", () => {
  it("lists runs newest first, page by page, each once", async () => {
    const service = await openTestService();
    const made: string[] = [];
    for (let at = 0; at < 5; at++) {
      service.state.now += 1000;
      made.unshift(
        (await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' })).runs[0]
          ?.id ?? "",
      );
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = runPage.parse(
        (await service.get(`/api/v1/runs?limit=2${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`)).json,
      );
      expect(page.data.length).toBeLessThanOrEqual(2);
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    expect(seen).toEqual(made);
  });

  it("finds runs by trigger, target, status, delivery and time", async () => {
    const service = await openTestService();
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    await executeRuns(service);
    service.state.now += 60_000;
    await deliver(service, { endpoint: "billing", body: '{ "type": "refund" }' });
    const count = async (query: string) => runPage.parse((await service.get(`/api/v1/runs?${query}`)).json).data.length;

    expect(await count("")).toBe(3);
    expect(await count("trigger=invoice-paid")).toBe(2);
    expect(await count("target=notify")).toBe(2);
    expect(await count("trigger=invoice-paid&target=notify")).toBe(1);
    expect(await count("status=queued")).toBe(1);
    expect(await count(`delivery=${deliveryId}`)).toBe(2);
    expect(await count("since=2026-11-21T10:00:30Z")).toBe(1);
    expect(await count("until=2026-11-21T12:00:30%2B02:00")).toBe(2);
    expect(await count("since=2026-11-22")).toBe(0);
    expect(await count("version=v-test")).toBe(3);
    expect(await count("version=v-other")).toBe(0);
    expect(await count("target=notify&targetKind=agent")).toBe(0);
    expect(await count("text=INVOICE.paid")).toBe(2);
    expect(await count("replayOf=run_unknown")).toBe(0);
  });

  it("shows neither payloads nor stacks", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "signup", body: '{ "name": "canary-name", "email": "a@example.com" }' });
    await executeRuns(service, { to: "failed", error: { name: "Error", message: "it broke", stack: "canary-stack" } });
    const { text } = await service.get("/api/v1/runs");
    expect(text).toContain("it broke");
    expect(text).not.toContain("canary");
  });
});

describe("GET /api/v1/runs/{id}", () => {
  it("shows a run with its payload and output", async () => {
    const service = await openTestService();
    const { deliveryId, runs } = await deliver(service, {
      endpoint: "signup",
      body: '{ "name": " Ann ", "email": "a@example.com" }',
    });
    await executeRuns(service, { to: "completed", output: { sent: true } });
    const run = runSchema.parse((await service.get(`/api/v1/runs/${runs[0]?.id}`)).json);
    expect(run).toMatchObject({
      status: "completed",
      deliveryId,
      payload: { name: "Ann", email: "a@example.com" },
      output: { sent: true },
      startedBy: "webhook",
    });
    expect(run).not.toHaveProperty("keyId");
  });

  it("with `wait` answers as soon as the run has ended", async () => {
    const service = await openTestService();
    const { runs } = await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
    const looks = vi.spyOn(service.store, "getRun");
    const waiting = service.get(`/api/v1/runs/${runs[0]?.id}?wait=60`);
    await executeRuns(service);
    const endedAt = performance.now();
    expect(runSchema.parse((await waiting).json).status).toBe("completed");
    expect(performance.now() - endedAt).toBeLessThan(1_500);
    // Woken by changes, of which there were three at most before the end; not by looking again and again.
    expect(looks.mock.calls.length).toBeLessThanOrEqual(5);
  });

  it("with `wait` returns a running run after the waiting time", async () => {
    const service = await openTestService();
    const { runs } = await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
    const begun = performance.now();
    expect(runSchema.parse((await service.get(`/api/v1/runs/${runs[0]?.id}?wait=1`)).json).status).toBe("queued");
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it("with `wait` answers when the service stops", async () => {
    const service = await openTestService();
    const { runs } = await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
    const waiting = service.get(`/api/v1/runs/${runs[0]?.id}?wait=60`);
    service.stop();
    expect((await waiting).status).toBe(200);
  });
});

describe("GET /api/v1/runs/{id}/timeline", () => {
  it("shows what happened, oldest first, page by page", async () => {
    const service = await openTestService();
    const { runs } = await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
    await executeRuns(service);
    const path = `/api/v1/runs/${runs[0]?.id}/timeline`;
    const all = timelinePage.parse((await service.get(path)).json);
    expect(all.data.map(({ kind }) => kind)).toEqual(["queued", "attempt_started", "log", "completed"]);
    expect(all.nextCursor).toBeNull();

    const first = timelinePage.parse((await service.get(`${path}?limit=3`)).json);
    const second = timelinePage.parse((await service.get(`${path}?limit=3&cursor=${first.nextCursor}`)).json);
    expect([...first.data, ...second.data]).toEqual(all.data);
    expect(second.nextCursor).toBeNull();
  });
});

describe("a webhook key", () => {
  it("reads the runs that it started, and finds no others", async () => {
    const service = await openTestService({ mode: "deployed" });
    const [own, other] = [await makeKey(service, { kind: "webhook" }), await makeKey(service, { kind: "webhook" })];
    const body = '{ "name": "a", "email": "a@example.com" }';
    const [mine] = (await deliver(service, { endpoint: "signup", body, keyId: own.id })).runs;
    const [theirs] = (await deliver(service, { endpoint: "signup", body, keyId: other.id })).runs;
    await executeRuns(service);
    const headers = bearer(own.secret);

    expect(runPage.parse((await service.get("/api/v1/runs", headers)).json).data.map(({ id }) => id)).toEqual([
      mine?.id,
    ]);
    for (const path of ["", "/timeline", "/events"]) {
      expect((await service.get(`/api/v1/runs/${mine?.id}${path}`, headers)).status).toBe(200);
      const hidden = await service.get(`/api/v1/runs/${theirs?.id}${path}`, headers);
      const missing = await service.get(`/api/v1/runs/run_missing${path}`, headers);
      expect(hidden.status).toBe(404);
      expect(hidden.text.replace(theirs?.id ?? "", "run_missing")).toBe(missing.text);
    }
  });
});
