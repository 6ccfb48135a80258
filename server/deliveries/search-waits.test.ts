import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import type { EventMatch } from "../contract/run.ts";
import { newId } from "../domain/ids.ts";
import { readEventResult } from "../domain/runs/event-waits.ts";
import type { AnySchema, ProjectSources, TriggerSource } from "../ports/project.ts";
import { silentLogger } from "../ports/logger.ts";
import type { NewDelivery } from "../ports/store/delivery-store.ts";
import type { EventWait } from "../ports/store/engine-store.ts";
import type { Store } from "../ports/store.ts";
import { openMemoryStore } from "../store/sqlite/open-store.ts";
import { aDelivery, aRun, aVerdict, claimOne, epoch } from "../store/testing/factories.ts";
import { createWaitSearch } from "./search-waits.ts";

const shipped: TriggerSource = {
  slug: "order-shipped",
  endpoint: "shipping",
  attachmentId: "order-shipped",
  target: null,
  request: z.object({ order: z.string().trim(), parcels: z.coerce.number() }) as AnySchema,
  filter: null,
  body: [
    { type: "json", bigints: "number" },
    { type: "form", field: null, bigints: "number" },
  ],
};
const canceled: TriggerSource = {
  ...shipped,
  slug: "order-canceled",
  endpoint: "cancellations",
  attachmentId: "order-canceled",
};

let store: Store;
let now: number;
beforeEach(() => {
  now = epoch;
  store = openMemoryStore({ clock: { now: () => now } });
});
afterEach(() => store.close());

function createSearch(triggers: readonly TriggerSource[] = [shipped, canceled]) {
  const sources = { triggers } as ProjectSources;
  return createWaitSearch({
    store,
    project: { current: () => sources },
    clock: { now: () => now },
    logger: silentLogger,
  });
}

async function receive(body: string, more: Partial<NewDelivery> = {}): Promise<string> {
  const id = newId("dlv");
  now += 1;
  const given = { endpoint: "shipping", outcome: "skipped", responseStatus: 200, ...more } as const;
  await store.recordDelivery(aDelivery({ id, receivedAt: now, body: Buffer.from(body), ...given }));
  return id;
}

/** A run that waits for events since a time. */
async function waitFor(events: readonly Partial<EventWait>[], since = epoch, id = newId("run")): Promise<string> {
  const match: EventMatch = { "/order": "A1" };
  await store.createRuns([aRun({ id })]);
  const { id: runId, token } = await claimOne(store, { now });
  const until = epoch + 1_000_000;
  const waits = events.map((event) => ({
    step: "wait",
    branch: "",
    source: "order-shipped",
    match,
    since,
    until,
    ...event,
  }));
  const times = { attempt: 1, startedAt: now, finishedAt: null, until, sequence: null };
  await store.writeProgress({
    runId,
    token,
    now,
    entries: [],
    steps: [...new Set(waits.map(({ step }) => step))].map((name) => ({
      ...times,
      name,
      kind: "event",
      result: { usedMs: 0 },
    })),
    waits,
    transition: { to: "waiting", reason: "sleep", availableAt: until },
  });
  return runId;
}

async function eventOf(runId: string) {
  const [result] = await store.listEventResults(runId);
  return readEventResult(result ?? null);
}

describe("the search for the event of a run", () => {
  it("finds the first delivery that matches, with the payload as the source parses it", async () => {
    await receive('{"order":"B2","parcels":1}');
    const first = await receive('{"order":" A1 ","parcels":"2"}');
    await receive('{"order":"A1","parcels":3}');
    const run = await waitFor([{}]);
    await createSearch().searchFor(run);
    expect(await eventOf(run)).toEqual({
      branch: "",
      source: "order-shipped",
      deliveryId: first,
      payload: { order: "A1", parcels: 2 },
    });
    expect((await claimOne(store, { now })).id).toBe(run);
  });

  it("reads bodies in the formats of the endpoint", async () => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const sent = await receive("order=A1&parcels=2", { headers });
    const run = await waitFor([{}]);
    await createSearch().searchFor(run);
    expect(await eventOf(run)).toMatchObject({ deliveryId: sent, payload: { parcels: 2 } });
  });

  it("passes over deliveries that were received before, are held, repeat another one, or cannot be read", async () => {
    await receive('{"order":"A1","parcels":1}');
    const since = now + 1;
    await receive('{"order":"A1","parcels":2}', { outcome: "held" });
    await receive('{"order":"A1","parcels":3}', { outcome: "repeated" });
    await receive('{"order":"A1","parcels":4}', { outcome: "rejected" });
    await receive("{");
    const run = await waitFor([{}], since);
    await createSearch().searchFor(run);
    expect(await eventOf(run)).toBeNull();
    // The next delivery ends the wait.
    expect(await store.listWaitsToSearch({ now: now + 1e6, limit: 10 })).toEqual([]);
  });

  it("finds the first of several events, on any endpoint", async () => {
    const first = await receive('{"order":"A1","parcels":0}', { endpoint: "cancellations" });
    await receive('{"order":"A1","parcels":1}');
    const run = await waitFor([{ branch: "shipped" }, { branch: "canceled", source: "order-canceled" }]);
    await createSearch().searchFor(run);
    expect(await eventOf(run)).toMatchObject({ branch: "canceled", source: "order-canceled", deliveryId: first });
  });

  it("finds neither the delivery that started the run, nor one that it has as another event", async () => {
    const id = newId("run");
    const verdict = aVerdict({ trigger: "order-shipped", attachmentId: "order-shipped", target: null });
    await receive('{"order":"A1","parcels":1}', { verdicts: [{ ...verdict, runId: id }] });
    const sent = [await receive('{"order":"A1","parcels":2}'), await receive('{"order":"A1","parcels":3}')];
    await waitFor([{ step: "wait" }, { step: "again" }], epoch, id);
    await createSearch().searchFor(id);
    await createSearch().searchRest();
    const results = (await store.listEventResults(id)).map((result) => readEventResult(result)?.deliveryId);
    expect(results.toSorted()).toEqual(sent.toSorted());
  });

  it("finds no delivery that came while its source was disabled", async () => {
    const verdict = aVerdict({ trigger: "order-shipped", attachmentId: "order-shipped", target: null });
    await receive('{"order":"A1","parcels":1}', { verdicts: [{ ...verdict, outcome: "disabled" }] });
    const run = await waitFor([{}]);
    await createSearch().searchFor(run);
    expect(await eventOf(run)).toBeNull();
  });

  it("finds nothing of a source that is disabled, or that the build no longer has", async () => {
    await receive('{"order":"A1","parcels":1}');
    const removed = await waitFor([{}]);
    await createSearch([canceled]).searchFor(removed);
    expect(await eventOf(removed)).toBeNull();
    await store.switchTrigger({ slug: "order-shipped", disable: { at: now, reason: null } });
    const disabled = await waitFor([{}]);
    await createSearch().searchFor(disabled);
    expect(await eventOf(disabled)).toBeNull();
  });

  it("continues until no wait is left", async () => {
    const sent = await receive('{"order":"A1","parcels":1}');
    const runs: string[] = [];
    for (let n = 0; n < 120; n += 1) runs.push(await waitFor([{}]));
    await createSearch().searchRest();
    expect((await store.findWoken([sent])).get(sent)).toHaveLength(runs.length);
  });

  it("is made by the next process if one ends before it is complete", async () => {
    const sent = await receive('{"order":"A1","parcels":1}');
    const run = await waitFor([{}]);
    await createSearch().searchRest();
    expect(await eventOf(run)).toMatchObject({ deliveryId: sent });
  });

  it("is repeated if the store fails", async () => {
    await receive('{"order":"A1","parcels":1}');
    const run = await waitFor([{}]);
    const sources = { triggers: [shipped] } as unknown as ProjectSources;
    const failing = { ...store, listDeliveries: () => Promise.reject(new Error("no store")) };
    const deps = { project: { current: () => sources }, clock: { now: () => now }, logger: silentLogger };
    await createWaitSearch({ ...deps, store: failing }).searchFor(run);
    expect(await eventOf(run)).toBeNull();
    await createWaitSearch({ ...deps, store }).searchRest();
    expect(await eventOf(run)).not.toBeNull();
  });
});
