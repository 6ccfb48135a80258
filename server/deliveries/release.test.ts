import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ReleaseBatch } from "../contract/delivery.ts";
import { ownHeaders } from "../contract/own-headers.ts";
import { openTestService, type TestService } from "../http/rest/testing/test-service.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { explainDelivery } from "./evaluate-again.ts";
import { getDelivery } from "./read-deliveries.ts";
import { redeliver } from "./redeliver.ts";
import { releaseDeliveries, releaseDelivery } from "./release.ts";

const number = z.object({ amount: z.number() });
const text = z.object({ amount: z.string() });
const all = { limit: 100, cursor: null };
const cli = { action: "release", startedBy: "cli" } as const;

/** A service whose trigger expects numbers. `deploy` replaces its schema. */
async function openHolding(given: { maxQueued?: number } = {}) {
  const service = await openTestService();
  const deploy = (...schemas: z.ZodType[]) => {
    const triggers = schemas.map((request, at) =>
      triggerOf({ slug: `t${at}`, endpoint: "billing", request, onMismatch: "hold" }),
    );
    const sources = projectOf(triggers);
    const workflows = sources.manifest.workflows.map((one) => ({ ...one, maxQueued: given.maxQueued ?? null }));
    service.state.sources = { ...sources, manifest: { ...sources.manifest, workflows } };
  };
  deploy(number);
  const send = async (body: unknown): Promise<string> => {
    const bytes = Buffer.from(JSON.stringify(body));
    service.state.now += 1000;
    const { headers } = await service.deps.receive({
      method: "POST",
      target: "/triggers/billing",
      headers: ["content-type", "application/json", "content-length", String(bytes.length)],
      readBody: (take) => void take(bytes),
    });
    return headers["signalbox-delivery"] ?? "";
  };
  return { service, deploy, send };
}

const runsOf = async ({ store }: TestService) => (await store.listRuns({}, all)).data;

describe("a release", () => {
  it("starts the runs of what matches now, with the payload of the current schema, and keeps the rest held", async () => {
    const { service, deploy, send } = await openHolding();
    const [first, second] = [await send({ amount: "5" }), await send({})];
    const still = await releaseDelivery(service, { id: first, ...cli });
    expect(still).toMatchObject({ result: "held", runs: [], message: expect.stringContaining("t0, /amount: ") });
    expect(service.state.queued).toBe(0);

    deploy(text.extend({ currency: z.string().default("EUR") }));
    const batch = await releaseDeliveries(service, { filter: {}, cursor: null, ...cli });
    expect(batch).toMatchObject({
      released: 1,
      nextCursor: null,
      data: [
        { id: first, endpoint: "billing", result: "released", message: null },
        { id: second, result: "held", message: expect.stringContaining("No trigger matches.") },
      ],
    });
    expect(service.state.queued).toBe(1);
    const [run, ...others] = await runsOf(service);
    expect([run, others]).toMatchObject([{ deliveryId: first, startedBy: "cli", trigger: "t0" }, []]);
    expect(await service.store.getRun(run?.id ?? "")).toMatchObject({ payload: { amount: "5", currency: "EUR" } });
    expect(await getDelivery(service, first)).toMatchObject({
      outcome: "accepted",
      verdicts: [{ outcome: "matched", runId: run?.id }],
      headers: { [ownHeaders.releasedAt]: new Date(service.state.now).toISOString() },
    });
    expect(await getDelivery(service, second)).toMatchObject({ outcome: "held" });
    expect((await service.store.listHeld({}, all)).data).toEqual([second]);
  });

  it("starts a run for each trigger that matches now, also for one that did not exist", async () => {
    const { service, deploy, send } = await openHolding();
    const id = await send({ amount: "5" });
    deploy(text, z.object({}), number);
    const { runs } = await releaseDelivery(service, { id, ...cli });
    expect(runs.map(({ trigger }) => trigger)).toEqual(["t0", "t1"]);
    expect((await runsOf(service)).map(({ trigger }) => trigger).sort()).toEqual(["t0", "t1"]);
  });

  it("keeps a delivery held while only a trigger without a target matches", async () => {
    const { service, send } = await openHolding();
    const id = await send({ amount: "5" });
    const on = { endpoint: "billing", onMismatch: "hold" } as const;
    service.state.sources = projectOf([
      triggerOf({ ...on, slug: "t0", request: number }),
      triggerOf({ ...on, slug: "waking", target: null, request: text }),
    ]);
    expect(await releaseDelivery(service, { id, ...cli })).toMatchObject({
      result: "held",
      runs: [],
      message: "waking matches, but starts no run. No other trigger matches.",
    });
    expect(await getDelivery(service, id)).toMatchObject({ outcome: "held" });
  });

  it("releases what a disabled trigger stopped, after it is enabled again", async () => {
    const { service, send } = await openHolding();
    await service.store.switchTrigger({ slug: "t0", disable: { at: service.state.now, reason: "busy" } });
    const id = await send({ amount: 5 });
    expect(await releaseDelivery(service, { id, ...cli })).toMatchObject({
      result: "held",
      message: expect.stringContaining("busy"),
    });
    await service.store.switchTrigger({ slug: "t0", disable: null });
    expect(await releaseDelivery(service, { id, ...cli })).toMatchObject({ result: "released" });
  });

  it("two releases of the same deliveries at once start each run once", async () => {
    const { service, deploy, send } = await openHolding();
    const ids: string[] = [];
    for (let n = 0; n < 30; n += 1) ids.push(await send({ amount: String(n) }));
    deploy(text);
    const batches = await Promise.all([
      releaseDeliveries(service, { filter: { endpoint: "billing" }, cursor: null, ...cli }),
      releaseDeliveries(service, { ids: ids.toReversed(), ...cli }),
      releaseDeliveries(service, { ids, ...cli }),
    ]);
    expect(batches.reduce((sum, { released }) => sum + released, 0)).toBe(ids.length);
    for (const { data } of batches)
      for (const { result, runs } of data) {
        expect(["released", "already_released"]).toContain(result);
        expect(runs).toHaveLength(1);
      }
    const runs = await runsOf(service);
    expect(runs.map(({ deliveryId }) => deliveryId).sort()).toEqual(ids.toSorted());
    const again = await releaseDeliveries(service, { ids, ...cli });
    expect([again.released, new Set(again.data.map(({ result }) => result))]).toEqual([
      0,
      new Set(["already_released"]),
    ]);
  });

  it("walks all held deliveries of a filter, oldest first, batch by batch", async () => {
    const { service, deploy, send } = await openHolding();
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await send({ amount: n % 2 === 0 ? String(n) : null }));
    deploy(text);
    const seen: string[] = [];
    let cursor: string | null = null;
    let released = 0;
    do {
      const batch: ReleaseBatch = await releaseDeliveries(service, { filter: {}, cursor, ...cli });
      seen.push(...batch.data.map(({ id }) => id));
      released += batch.released;
      cursor = batch.nextCursor;
    } while (cursor !== null);
    expect([released, seen]).toEqual([60, ids]);
    const created = (await runsOf(service)).map(({ deliveryId }) => deliveryId).toReversed();
    expect(created).toEqual(ids.filter((_, n) => n % 2 === 0));
  });

  it("as a preview shows what would start, and writes nothing", async () => {
    const { service, deploy, send } = await openHolding();
    const id = await send({ amount: "5" });
    deploy(text);
    const mark = await service.store.mark();
    const preview = { action: "preview", startedBy: "cli" } as const;
    const expected = { id, result: "released", runs: [{ runId: null, trigger: "t0" }] };
    expect(await releaseDelivery(service, { id, ...preview })).toMatchObject(expected);
    expect(await releaseDeliveries(service, { filter: {}, cursor: null, ...preview })).toMatchObject({
      released: 1,
      data: [expected],
    });
    expect([await service.store.mark(), await runsOf(service), service.state.queued]).toEqual([mark, [], 0]);
  });

  it("reports a delivery that cannot be released, and releases the others", async () => {
    const { service, deploy, send } = await openHolding({ maxQueued: 1 });
    const accepted = await send({ amount: 1 });
    const [first, second] = [await send({ amount: "1" }), await send({ amount: "2" })];
    deploy(text);
    const ids = ["dlv_unknown", accepted, first, second];
    await service.store.claimRuns({
      slots: ["wrk_1"],
      now: service.state.now,
      leaseMs: 60_000,
      limits: new Map(),
      pool: "shared",
    });
    const { released, data } = await releaseDeliveries(service, { ids, ...cli });
    expect([released, data.map(({ result }) => result)]).toEqual([1, ["failed", "failed", "released", "failed"]]);
    expect(data.map(({ message }) => message)).toEqual([
      expect.stringContaining("There is no delivery"),
      expect.stringContaining('is not held: its outcome is "accepted"'),
      null,
      expect.stringContaining("queue"),
    ]);
    expect(await getDelivery(service, second)).toMatchObject({ outcome: "held" });
    await expect(releaseDelivery(service, { id: accepted, ...cli })).rejects.toMatchObject({ code: "not_replayable" });
    await expect(releaseDelivery(service, { id: second, ...cli })).rejects.toMatchObject({ code: "queue_full" });
    deploy();
    await expect(releaseDelivery(service, { id: second, ...cli })).rejects.toMatchObject({
      message: expect.stringContaining('No trigger listens on "billing"'),
    });
  });
});

it("a held delivery cannot be redelivered, and a redelivery that matches nothing is skipped, not held", async () => {
  const { service, deploy, send } = await openHolding();
  const id = await send({ amount: "5" });
  const again = (of: string, trigger: string | null = null) =>
    redeliver(service, { id: of, trigger, startedBy: "form" });
  for (const trigger of [null, "t0"])
    await expect(again(id, trigger)).rejects.toMatchObject({
      code: "not_replayable",
      message: expect.stringContaining(`signalbox deliveries release ${id}`),
    });
  deploy(text);
  await releaseDelivery(service, { id, ...cli });
  const copy = await getDelivery(service, await again(id));
  expect([copy.outcome, copy.headers[ownHeaders.releasedAt]]).toEqual(["accepted", undefined]);
  deploy(number);
  expect(await getDelivery(service, await again(id))).toMatchObject({ outcome: "skipped", redeliveryOf: id });
  expect((await service.store.listHeld({}, all)).data).toEqual([]);
});

it("an explanation has the verdicts of the current triggers, or of one, and starts nothing", async () => {
  const { service, deploy, send } = await openHolding();
  const id = await send({ amount: "5" });
  deploy(text, number);
  const explain = async (trigger: string | null) =>
    (await explainDelivery(service, { id, trigger })).verdicts.map(({ trigger, outcome, runId }) => [
      trigger,
      outcome,
      runId,
    ]);
  expect(await explain(null)).toEqual([
    ["t0", "matched", null],
    ["t1", "request_mismatch", null],
  ]);
  expect(await explain("t1")).toEqual([["t1", "request_mismatch", null]]);
  expect(await runsOf(service)).toEqual([]);
});
