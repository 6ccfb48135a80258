import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { defineWebhookSource, sensitive } from "../../sdk/trigger/index.ts";
import { defineWorkflow, type WorkflowContext } from "../../sdk/workflow/index.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import { newId } from "../domain/ids.ts";
import { sensitiveKeyword } from "../domain/privacy/sensitive-schema.ts";
import { aDelivery } from "../store/testing/factories.ts";
import { createEngineHarness, type TestWorkflow } from "./testing/engine-harness.ts";

const day = 86_400_000;
const shipped = defineWebhookSource({
  slug: "order-shipped",
  endpoint: "shipping",
  request: z.object({
    order: z.object({ id: z.string(), total: z.number() }),
    parcels: z.array(z.string()).default([]),
  }),
});
const canceled = defineWebhookSource({
  slug: "order-canceled",
  endpoint: "cancellations",
  request: z.object({ order: z.string(), reason: z.string() }),
});
const patient = defineWebhookSource({
  slug: "new-patient",
  endpoint: "patients",
  request: z.object({ id: z.string(), born: sensitive(z.string()) }),
});
const ship = defineWorkflow({ slug: "ship", input: z.object({}), run: () => null });
const jsonOf = (schema: z.ZodType) => z.toJSONSchema(schema) as JsonSchemaObject;
const sources: TestWorkflow["sources"] = [
  { slug: shipped.slug, endpoint: shipped.endpoint, request: jsonOf(z.object({})) },
  { slug: canceled.slug, endpoint: canceled.endpoint, request: jsonOf(z.object({})) },
  {
    slug: patient.slug,
    endpoint: patient.endpoint,
    request: { type: "object", properties: { born: { type: "string", [sensitiveKeyword]: true } } },
  },
];

let engine: Awaited<ReturnType<typeof createEngineHarness>>;
beforeEach(async () => void (engine = await createEngineHarness()));
afterEach(() => engine.close());

const workflow = (run: (ctx: WorkflowContext) => unknown): TestWorkflow => ({
  sources,
  run: (_: never, ctx: WorkflowContext) => run(ctx),
});
/** Executes the run that is due, and completes the searches of its waits: nothing was received before. */
async function execute(given: TestWorkflow) {
  const run = await engine.claim();
  const { status } = await engine.execute(run, given).ended;
  const now = engine.clock.now();
  for (const { step } of await engine.store.listWaitsToSearch({ now, limit: 10, runId: run.id }))
    await engine.store.finishSearch({ runId: run.id, step, isFinal: true, now });
  return status;
}
async function deliver(source: string, payload: Json) {
  const id = newId("dlv");
  const delivery = aDelivery({ id, receivedAt: engine.clock.now(), outcome: "skipped", responseStatus: 200 });
  const ifWoken = { outcome: "accepted", responseStatus: 202, problem: null } as const;
  const delivered = { events: [{ source, payload }], ifWoken };
  await engine.store.acceptDelivery({ delivery, runs: [], idempotency: null, delivered });
  return id;
}

describe("ctx.waitFor", () => {
  const waiting = workflow((ctx) => ctx.waitFor("shipped", shipped, { match: { "/order/id": "A1" }, timeout: "14d" }));

  it("suspends the run until a delivery matches, and returns its payload", async () => {
    const id = await engine.createRun();
    expect(await execute(waiting)).toBe("waiting");
    engine.advance(day);
    const payload = { order: { id: "A1", total: 7 }, parcels: ["p1"] };
    await deliver("order-shipped", payload);
    expect(await execute(waiting)).toBe("completed");
    const { run, kinds } = await engine.read(id);
    expect(run.output).toEqual(payload);
    expect(kinds).toEqual([
      "queued",
      "attempt_started",
      "wait_started shipped",
      "wait_finished shipped",
      "resumed",
      "completed",
    ]);
  });

  it("returns null at the timeout", async () => {
    const id = await engine.createRun();
    expect(await execute(waiting)).toBe("waiting");
    engine.advance(14 * day);
    // The store decides that no delivery came in time.
    expect(await execute(waiting)).toBe("waiting");
    expect(await execute(waiting)).toBe("completed");
    expect((await engine.read(id)).run.output).toBeNull();
  });

  it("gets the same payload in every execution, regardless of later deliveries", async () => {
    const seen: unknown[] = [];
    const twice = workflow(async (ctx) => {
      seen.push(await ctx.waitFor("shipped", shipped, { match: { "/order/id": "A1" } }));
      await ctx.sleep("pause", "1h");
    });
    await engine.createRun();
    await execute(twice);
    await deliver("order-shipped", { order: { id: "A1", total: 1 } });
    await execute(twice);
    await deliver("order-shipped", { order: { id: "A1", total: 2 } });
    engine.advance(3_600_000);
    expect(await execute(twice)).toBe("completed");
    expect(seen).toEqual([1, 1].map((total) => ({ order: { id: "A1", total }, parcels: [] })));
  });

  it("waits beside other steps, sleeps and waits, and each has its result", async () => {
    const all = workflow((ctx) =>
      Promise.all([
        ctx.waitFor("shipped", shipped, { match: { "/order/id": "A1" } }),
        ctx.step("work", () => "done"),
        ctx.sleep("pause", "1h"),
        ctx.waitFor("canceled", canceled, { match: { "/order": "A1" }, timeout: "2h" }),
      ]),
    );
    const id = await engine.createRun();
    await execute(all);
    engine.advance(3_600_000);
    expect(await execute(all)).toBe("waiting");
    const payload = { order: { id: "A1", total: 7 }, parcels: [] };
    await deliver("order-shipped", payload);
    expect(await execute(all)).toBe("waiting");
    engine.advance(3_600_000);
    await execute(all);
    expect(await execute(all)).toBe("completed");
    expect((await engine.read(id)).run.output).toEqual([payload, "done", null, null]);
  });

  it("loses a race against a sleep that ends first, and leaves no wait behind", async () => {
    const race = workflow((ctx) =>
      Promise.race([ctx.waitFor("shipped", shipped).then(() => "event"), ctx.sleep("pause", "1h").then(() => "time")]),
    );
    const id = await engine.createRun();
    await execute(race);
    engine.advance(3_600_000);
    expect(await execute(race)).toBe("completed");
    expect((await engine.read(id)).run.output).toBe("time");
    const late = await deliver("order-shipped", { order: { id: "A1", total: 7 } });
    expect(await engine.store.findWoken([late])).toEqual(new Map());
  });

  it("does not count towards the timeout of the attempt", async () => {
    const slow = { ...waiting, timeoutMs: 1_000 };
    await engine.createRun();
    await execute(slow);
    engine.advance(day);
    await deliver("order-shipped", { order: { id: "A1", total: 7 } });
    const run = await engine.claim();
    expect(run.steps).toMatchObject([{ kind: "event", result: { usedMs: expect.any(Number) } }]);
    expect((await engine.execute(run, slow).ended).status).toBe("completed");
  });

  it("accepts a trigger in place of its source", async () => {
    const trigger = shipped.attach({ workflow: ship, transform: () => ({}) });
    const id = await engine.createRun();
    const ofTrigger = workflow((ctx) => ctx.waitFor("shipped", trigger, { match: { "/order/id": "A1" } }));
    await execute(ofTrigger);
    await deliver("order-shipped", { order: { id: "A1", total: 7 } });
    await execute(ofTrigger);
    expect((await engine.read(id)).run).toMatchObject({ status: "completed", output: { order: { total: 7 } } });
  });

  it.each<[string, (ctx: WorkflowContext) => unknown, RegExp]>([
    ["no source", (ctx) => ctx.waitFor("a", {} as never), /needs a source/],
    ["a misspelt option", (ctx) => ctx.waitFor("a", shipped, { timout: "1d" } as never), /no option "timout"/],
    ["a timeout of two years", (ctx) => ctx.waitFor("a", shipped, { timeout: "731d" }), /at most "366d"/],
    [
      "a time without an offset",
      (ctx) => ctx.waitFor("a", shipped, { since: "2026-01-01T00:00:00" }),
      /with an offset/,
    ],
    ["no events", (ctx) => ctx.waitForAny("a", {}), /one to 20 events/],
    ["an event without a source", (ctx) => ctx.waitForAny("a", { b: {} as never }), /must be \{ source, match \}/],
    ["a sensitive value", (ctx) => ctx.waitFor("a", patient, { match: { "/born": "2000-01-01" } }), /sensitive/],
  ])("fails the run for %s", async (_, run, message) => {
    const { run: failed } = await engine.attempt(workflow(run));
    expect(failed.status).toBe("failed");
    expect(failed.error?.message).toMatch(message);
  });

  it.each<[string, unknown, string]>([
    ["email", { email: "x" }, 'match: "email" is not a JSON Pointer. Write "/email".'],
    ["order.id", { "order.id": "A1" }, 'match: "order.id" is not a JSON Pointer. Write "/order/id".'],
    ["order/id", { "/id": 1, "order/id": "A1" }, 'match: "order/id" is not a JSON Pointer. Write "/order/id".'],
    ["a tilde", { "/a~b": 1 }, 'match: "/a~b" is not a JSON Pointer. Write "/a~0b".'],
    ["an empty path", { "": 1 }, 'match: "" is not a JSON Pointer. Write the path of a value, such as "/order/id".'],
    ["a long path", { [`/${"p".repeat(1_000)}`]: 1 }, "It can have at most 1000 characters."],
    ["an object", { "/order": {} }, 'match: the value of "/order" is an object. It must be a string, a number or'],
    ["undefined", { "/order/id": undefined }, 'match: the value of "/order/id" is undefined.'],
    ["NaN", { "/order/total": NaN }, 'match: the value of "/order/total" is NaN.'],
    ["six paths", Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`/p${n}`, n])), "match has 6 paths. It must have"],
    ["an array", ["/order/id"], "match is an array. It must be an object with JSON Pointers"],
  ])("fails the run at once for a wrong match (%s), and says how to fix it", async (_, match, message) => {
    const waitingFor = workflow((ctx) => ctx.waitFor("a", shipped, { match: match as never }));
    const id = await engine.createRun({ maxAttempts: 5 });
    expect(await execute(waitingFor)).toBe("failed");
    expect((await engine.read(id)).run.error).toMatchObject({
      name: "InvalidMatch",
      message: expect.stringContaining(message),
    });
  });

  it("fails the run at once for a wrong match of one of several events, and names the event", async () => {
    const events = { b: { source: shipped, match: { id: "A1" } as never } };
    const { run } = await engine.attempt(workflow((ctx) => ctx.waitForAny("a", events)));
    expect(run).toMatchObject({
      status: "failed",
      error: {
        name: "InvalidMatch",
        message: 'ctx.waitForAny("a", …): the event "b": match: "id" is not a JSON Pointer. Write "/id".',
      },
    });
  });

  it("fails the run for a source whose webhooks are not received", async () => {
    const { run } = await engine.attempt({ ...waiting, sources: [] });
    expect(run).toMatchObject({ status: "failed", error: { name: "UnknownSource" } });
  });
});

describe("ctx.waitForAny", () => {
  const either = workflow((ctx) =>
    ctx.waitForAny(
      "outcome",
      {
        shipped: { source: shipped, match: { "/order/id": "A1" } },
        canceled: { source: canceled, match: { "/order": "A1" } },
      },
      { timeout: "1d" },
    ),
  );

  it("returns the name and the payload of the first event, and waits for none of the others", async () => {
    const id = await engine.createRun();
    await execute(either);
    await deliver("order-canceled", { order: "A1", reason: "late" });
    const late = await deliver("order-shipped", { order: { id: "A1", total: 7 } });
    expect(await execute(either)).toBe("completed");
    expect((await engine.read(id)).run.output).toEqual({ name: "canceled", event: { order: "A1", reason: "late" } });
    expect(await engine.store.findWoken([late])).toEqual(new Map());
  });

  it("returns null at the timeout", async () => {
    const id = await engine.createRun();
    await execute(either);
    engine.advance(day);
    await execute(either);
    expect(await execute(either)).toBe("completed");
    expect((await engine.read(id)).run.output).toBeNull();
  });
});
