import { describe, expect, it } from "vitest";
import { runsUsageSchema } from "../../../contract/run.ts";
import { newId } from "../../../domain/ids.ts";
import { actOnFilteredRuns } from "../../../runs/act-on-runs.ts";
import { countRuns } from "../../../runs/filtered-runs.ts";
import { deliver, openTestService, paidBody, type TestService } from "../testing/test-service.ts";

/** Ended runs of agents, a second apart, that have used so much; newest last. */
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
      workerId: "wrk_1",
      limit: 1,
      now: state.now,
      leaseMs: 60_000,
      concurrency: new Map(),
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

const some = [
  { agent: "triage", tokens: 100, costUsd: 0.1 },
  { agent: "triage", tokens: 3_000, costUsd: 0.2 },
  { agent: "local", tokens: 9_000, costUsd: null },
  { agent: "triage", tokens: 500, costUsd: 2.5, version: "v2" },
];

const usageOf = async (service: TestService, query: string) =>
  runsUsageSchema.strict().parse((await service.get(`/api/v1/runs/usage${query}`)).json);

describe("GET /api/v1/runs/usage", () => {
  it("sums what the runs of agents have used, and for each agent, the dearest first; a cost that nobody knows is none", async () => {
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

  it("rejects values that are not numbers, and lists the parameters", async () => {
    const service = await openTestService();
    expect((await service.get("/api/v1/runs/usage?minCostUsd=cheap")).status).toBe(400);
    expect((await service.get("/api/v1/runs?minTokens=-1")).status).toBe(400);
    expect((await service.get("/api/v1/runs?needsApproval=no")).status).toBe(400);
    expect((await service.get("/api/v1/runs/usage?minCost=1")).text).toContain("minCostUsd");
  });
});
