import { describe, expect, it, vi } from "vitest";
import { pageSchema } from "../../../contract/list.ts";
import type { Json } from "../../../contract/json.ts";
import { runSchema, runStepSchema, runSummarySchema } from "../../../contract/run.ts";
import { runsUsageSchema } from "../../../contract/run.ts";
import { timelineEntrySchema } from "../../../contract/timeline.ts";
import { newId } from "../../../domain/ids.ts";
import { actOnFilteredRuns } from "../../../runs/act-on-runs.ts";
import { countRuns } from "../../../runs/filtered-runs.ts";
import {
  bearer,
  deliver,
  executeRuns,
  makeKey,
  openTestService,
  paidBody,
  type TestService,
} from "../testing/test-service.ts";

const some = [
  { agent: "triage", tokens: 100, costUsd: 0.1 },
  { agent: "triage", tokens: 3_000, costUsd: 0.2 },
  { agent: "local", tokens: 9_000, costUsd: null },
  { agent: "triage", tokens: 500, costUsd: 2.5, version: "v2" },
];

const usageOf = async (service: TestService, query: string) =>
  runsUsageSchema.strict().parse((await service.get(`/api/v1/runs/usage${query}`)).json);

describe("GET /api/v1/runs/usage", () => {
  it("sums the usage of agents' runs, in total and per agent, the most expensive first; an unknown cost is not counted", async () => {
    const service = await openTestService();
    await withSpend(service, some);
    await deliver(service, { endpoint: "billing", body: paidBody });
    expect(await usageOf(service, "")).toEqual({
      runs: 4,
      pricedRuns: 3,
      tokens: 12_600,
      costUsd: 2.8,
      isCapped: false,
      agents: [
        { agent: "triage", runs: 3, pricedRuns: 3, tokens: 3_600, costUsd: 2.8 },
        { agent: "local", runs: 1, pricedRuns: 0, tokens: 9_000, costUsd: null },
      ],
    });
    expect(await usageOf(service, "?target=local")).toMatchObject({ runs: 1, costUsd: null });
    expect(await usageOf(service, "?targetKind=workflow")).toEqual({
      runs: 0,
      pricedRuns: 0,
      tokens: 0,
      costUsd: null,
      isCapped: false,
      agents: [],
    });
  });

  it.each([
    ["?version=v2", 1],
    ["?minTokens=500", 3],
    ["?minCostUsd=0.2", 2],
    ["?minCostUsd=0.2&minTokens=1000", 1],
    ["?since=2026-11-21T10:00:03Z", 2],
    ["?status=failed", 0],
    ["?text=local", 1],
    ["?replayOf=run_x", 0],
    ["?text=Hi&minCostUsd=0.15", 2],
  ])(
    "sums %s over the very runs that the list, the count, the file and the bulk actions have",
    async (query, count) => {
      const service = await openTestService();
      const ids = await withSpend(service, some);
      const listed = (await service.get(`/api/v1/runs${query}`)).json;
      const found = (Array.isArray(Object(listed)["data"]) ? Object(listed)["data"] : []).map(
        (run: { id: string }) => run.id,
      );
      expect(found).toHaveLength(count);
      expect((await usageOf(service, query)).runs).toBe(count);
      const exported = (await service.get(`/api/v1/runs/export${query}&format=csv`)).text
        .trimEnd()
        .split("\r\n")
        .slice(1);
      expect(exported.map((line) => line.split(",")[0])).toEqual(found);
      const { since, minTokens, minCostUsd, ...texts } = Object.fromEntries(new URLSearchParams(query.slice(1)));
      const filter = {
        ...texts,
        ...(since ? { since: Date.parse(since) } : {}),
        ...(minTokens ? { minTokens: Number(minTokens) } : {}),
        ...(minCostUsd ? { minCostUsd: Number(minCostUsd) } : {}),
      };
      expect(await countRuns(service, filter)).toEqual({ count, isCapped: false });
      const acted = await actOnFilteredRuns(service, {
        action: "replay",
        filter,
        until: service.state.now,
        cursor: null,
      });
      expect([acted.done + acted.failed.length, acted.nextCursor]).toEqual([count, null]);
      expect(ids).toEqual(expect.arrayContaining(found));
    },
  );

  it("rejects values that are not numbers or ids, and lists the parameters", async () => {
    const service = await openTestService();
    expect((await service.get("/api/v1/runs/usage?minCostUsd=cheap")).status).toBe(400);
    expect((await service.get("/api/v1/runs?minTokens=-1")).status).toBe(400);
    expect((await service.get("/api/v1/runs?minTokens=")).status).toBe(400);
    expect((await service.get("/api/v1/runs?needsApproval=no")).status).toBe(400);
    const bogus = await service.get("/api/v1/runs?childOf=bogus");
    expect([bogus.status, bogus.text]).toEqual([400, expect.stringContaining("Must be the id of a run: run_…")]);
    expect((await service.get("/api/v1/runs/usage?minCost=1")).text).toContain("minCostUsd");
  });
});

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
    expect(performance.now() - endedAt).toBeLessThan(30_000);
    // Woken by at most three changes before the end, not by polling.
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
  it("shows the entries oldest first, page by page", async () => {
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

/** Ended runs of agents, a second apart, that have used these tokens; newest last. */
async function withSpend(
  service: TestService,
  spent: { agent: string; tokens: number; costUsd: number | null; version?: string }[],
): Promise<string[]> {
  const { store, state } = service;
  const ids: string[] = [];
  for (const { agent, tokens, costUsd, version = "v1" } of spent) {
    state.now += 1000;
    const id = newId("run");
    ids.push(id);
    await store.createRuns([
      {
        id,
        trigger: null,
        attachmentId: null,
        target: { kind: "agent", slug: agent },
        deliveryId: null,
        startedBy: "api",
        replayOf: null,
        version,
        maxAttempts: 1,
        createdAt: state.now,
        payload: null,
        input: { prompt: `Hi ${agent}` },
        keyId: null,
      },
    ]);
    const [run] = await store.claimRuns({
      slots: ["wrk_1"],
      now: state.now,
      leaseMs: 60_000,
      limits: new Map(),
      pool: "shared",
    });
    await store.writeProgress({
      runId: id,
      token: run?.token ?? "",
      now: state.now,
      entries: [],
      spend: { tokens, costUsd },
      transition: { to: "completed", output: null },
    });
  }
  state.now += 1000;
  return ids;
}

describe("GET /api/v1/runs/{id}/steps", () => {
  it("has the result of each finished step with its size, and none of a failed or running one", async () => {
    const service = await openTestService();
    const id = await withSteps(service, [
      { name: "load", result: { rows: 42 } },
      { name: "charge", finishedAt: null, result: { tries: 1, error: { name: "E", message: "secret", stack: null } } },
    ]);
    const { json } = await service.get(`/api/v1/runs/${id}/steps`);
    const { data, nextCursor } = pageSchema(runStepSchema).strict().parse(json);
    expect(nextCursor).toBeNull();
    expect(data).toMatchObject([
      { name: "load", kind: "step", attempt: 1, result: { rows: 42 }, resultBytes: 11 },
      { name: "charge", finishedAt: null, result: null, resultBytes: null },
    ]);
    expect((await service.get(`/api/v1/runs/${id}/steps?name=charge`)).json).toMatchObject({ data: [data[1]] });
    expect((await service.get("/api/v1/runs/run_unknown/steps")).status).toBe(404);
  });

  it("has all steps over its pages, which end early if their results are large", async () => {
    const service = await openTestService();
    const names = Array.from({ length: 23 }, (_, at) => `step-${at}`);
    const id = await withSteps(
      service,
      names.map((name) => ({ name, result: "x".repeat(1_000_000) })),
    );
    const pages: string[][] = [];
    for (let cursor: string | null = "0"; cursor !== null;) {
      const { json } = await service.get(`/api/v1/runs/${id}/steps?limit=20&cursor=${cursor}`);
      const page = pageSchema(runStepSchema).parse(json);
      pages.push(page.data.map(({ name }) => name));
      cursor = page.nextCursor;
    }
    expect(pages.flat()).toEqual(names);
    expect(pages.map(({ length }) => length)).toEqual([4, 4, 4, 4, 4, 3]);
  });
});

async function withSteps(
  service: TestService,
  steps: readonly { name: string; finishedAt?: null; result: Json }[],
): Promise<string> {
  const { runs } = await deliver(service, { endpoint: "signup", body: '{ "name": "a", "email": "a@example.com" }' });
  const { store, state } = service;
  const [claimed] = await store.claimRuns({
    slots: ["wrk_1"],
    now: state.now,
    leaseMs: 60_000,
    limits: new Map(),
    pool: "shared",
  });
  const step = {
    kind: "step" as const,
    attempt: 1,
    startedAt: state.now,
    finishedAt: state.now,
    until: null,
    sequence: 1,
  };
  await store.writeProgress({
    runId: claimed?.id ?? "",
    token: claimed?.token ?? "",
    now: state.now,
    entries: [],
    steps: steps.map((one) => ({ ...step, ...one })),
  });
  return runs[0]?.id ?? "";
}
