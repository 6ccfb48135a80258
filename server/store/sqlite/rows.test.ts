import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Json } from "../../contract/json.ts";
import type { NewTimelineEntry, RunTransition } from "../../ports/store/engine-store.ts";
import type { Store } from "../../ports/store.ts";
import { aDelivery, aRun, aVerdict, claimOne, epoch, withRunningRun } from "../testing/factories.ts";
import { type Connection, openConnection } from "./file/open-connection.ts";
import { openSqliteStore } from "./open-store.ts";

let folder: string;
let store: Store;
let connection: Connection;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-rows-"));
  const file = join(folder, "store.db");
  store = await openSqliteStore({ file });
  connection = await openConnection(file);
});
afterEach(async () => {
  connection.close();
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const now = epoch + 2000;
const valueOf = (sql: string) => connection.prepare(sql).pluck().get();

describe("the timeline of a run", () => {
  const end = (kind: "completed" | "failed"): NewTimelineEntry => ({ at: now, kind, attempt: 1, durationMs: 1.5 });
  const write = async (run: { id: string; token: string }, entries: NewTimelineEntry[], transition?: RunTransition) =>
    store.writeProgress({ runId: run.id, token: run.token, now, entries, ...(transition ? { transition } : {}) });

  it("has no rows if the run succeeds at once", async () => {
    const run = await withRunningRun(store);
    await write(run, [end("completed")], { to: "completed", output: 1 });
    expect(valueOf("SELECT count(*) FROM run_event")).toBe(0);
    expect(await store.listTimeline(run.id, { after: 0, limit: 10 })).toMatchObject([
      { id: 1, kind: "queued", at: "2026-01-01T00:00:00.000Z", attempt: 0 },
      { id: 2, kind: "attempt_started", at: "2026-01-01T00:00:01.000Z", attempt: 1 },
      { id: 3, kind: "completed", at: "2026-01-01T00:00:02.000Z", attempt: 1, durationMs: 1.5 },
    ]);
  });

  it.each<[string, NewTimelineEntry]>([
    ["another time", { ...end("failed"), at: now - 1 }],
    ["another error", { ...end("failed"), error: { name: "Other", message: "m", stack: null } }],
    ["data", { ...end("failed"), error: { name: "E", message: "m", stack: "s" }, data: { source: 1 } }],
    ["the columns", { ...end("failed"), error: { name: "E", message: "m", stack: "s" } }],
  ])("has the last entry as it was written: with %s", async (_, entry) => {
    const run = await withRunningRun(store);
    await write(run, [entry], { to: "failed", error: { name: "E", message: "m", stack: "s" } });
    const { error = null, data = null } = entry;
    expect((await store.listTimeline(run.id, { after: 2, limit: 10 })).map(({ id: _id, ...rest }) => rest)).toEqual([
      {
        at: new Date(entry.at).toISOString(),
        kind: "failed",
        attempt: 1,
        durationMs: 1.5,
        error,
        data,
        name: null,
        level: null,
        message: null,
        until: null,
      },
    ]);
  });

  it("is the same in pages of any size, read while it grows", async () => {
    const step = fc.constantFrom("log", "retry", "sleep", "cancel");
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), fc.integer({ min: 1, max: 4 }), async (steps, limit) => {
        let run = await withRunningRun(store);
        const { id } = run;
        const seen: { id: number; kind: string }[] = [];
        const readOn = async () => {
          for (;;) {
            const more = await store.listTimeline(id, { after: seen.at(-1)?.id ?? 0, limit });
            seen.push(...more);
            if (more.length < limit) return;
          }
        };
        for (const [n, kind] of steps.entries()) {
          if (n % 2 === 0) await readOn();
          if (kind === "log") await write(run, [{ at: now, kind: "log", attempt: 1, level: "info", message: "m" }]);
          else if (kind === "cancel") await store.requestCancel(id, now);
          else {
            await write(run, [], { to: "waiting", reason: kind, availableAt: now });
            if ((await store.getRun(id))?.status === "canceled") break;
            run = await claimOne(store, { now });
          }
        }
        await write(run, [end("completed")], { to: "completed", output: 1 });
        await readOn();
        const whole = await store.listTimeline(id, { after: 0, limit: 100 });
        expect(seen).toEqual(whole);
        expect(whole.map((entry) => entry.id)).toEqual(whole.map((_, at) => at + 1));
      }),
      { numRuns: 30 },
    );
  });
});

async function accept(body: string, payload: Json): Promise<string> {
  const delivery = aDelivery({ body: Buffer.from(body) });
  const run = aRun({ deliveryId: delivery.id, payload });
  await store.acceptDelivery({ delivery, runs: [run], idempotency: null });
  return run.id;
}

describe("a payload", () => {
  const payload = { name: "Ünï 😀", list: [1, null] };

  it("that is the body of its delivery is stored once, and so is an input that is the payload", async () => {
    const id = await accept(JSON.stringify(payload), payload);
    const claimed = await claimOne(store);
    expect(claimed).toMatchObject({ id, payloadText: JSON.stringify(payload), inputText: null });
    await store.writeProgress({ runId: id, token: claimed.token, now, entries: [], input: payload });
    expect(connection.prepare("SELECT payload, input FROM run").raw().get()).toEqual(["", ""]);
    expect(await store.getRun(id)).toMatchObject({ payload, input: payload });
    await store.reconcile(claimed.leaseUntil);
    expect(await claimOne(store, { now: claimed.leaseUntil })).toMatchObject({
      payloadText: JSON.stringify(payload),
      inputText: JSON.stringify(payload),
    });
    const found = await store.listRuns({ text: "ünï" }, { limit: 10, cursor: null });
    expect(found.data).toEqual([]);
    expect((await store.listRuns({ text: "Ünï" }, { limit: 10, cursor: null })).data).toHaveLength(1);
  });

  it.each([
    ["other spaces", '{ "name": "Ünï 😀", "list": [1, null] }'],
    ["another order", '{"list":[1,null],"name":"Ünï 😀"}'],
    ["more fields", '{"name":"Ünï 😀","list":[1,null],"more":1}'],
    ["another body of the same length", JSON.stringify({ name: "Ünï 😁", list: [1, null] })],
  ])("is stored if the body has %s", async (_, body) => {
    const id = await accept(body, payload);
    expect(valueOf("SELECT payload FROM run")).toBe(JSON.stringify(payload));
    expect((await store.getRun(id))?.payload).toEqual(payload);
  });
});

it("verdicts come back as they were, with ids of any form", async () => {
  const verdicts = [
    aVerdict({ runId: aRun().id }),
    aVerdict({ runId: "run_1", trigger: "other", outcome: "disabled" }),
    aVerdict({
      outcome: "request_mismatch",
      target: { kind: "agent", slug: "a" },
      reasons: [{ pointer: "/a", code: "c", message: "m", expected: "e", actual: null }],
    }),
  ];
  const unlistedVerdicts = [{ outcome: "filter_mismatch" as const, pointer: "/a", actual: null, count: 7 }];
  const delivery = aDelivery({ verdicts, unlistedVerdicts });
  await store.recordDelivery(delivery);
  expect(await store.getDelivery(delivery.id)).toMatchObject({ verdicts, unlistedVerdicts });
  expect(String(valueOf("SELECT verdicts FROM delivery"))).not.toContain("welcome-email");
});
