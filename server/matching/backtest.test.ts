import { createHmac } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { github, slack } from "../../sdk/verify/index.ts";
import type { DisabledTriggers } from "../contract/disabled.ts";
import { newId } from "../domain/ids.ts";
import { createReceiver } from "../ingest/receive.ts";
import { createMemoryDeliveryStore } from "../ingest/testing/memory-delivery-store.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { silentLogger } from "../ports/logger.ts";
import type { TriggerSource } from "../ports/project.ts";
import type { NewDelivery } from "../ports/store/delivery-store.ts";
import {
  type BacktestRequest,
  type CheckInput,
  createBacktest,
  mergeBacktests,
  type RecordedDelivery,
} from "./backtest.ts";
import { toSchema, versions } from "./testing/build-shape.ts";
import { shapes } from "./testing/shapes.ts";

const now = Date.UTC(2026, 0, 8);
const period = { endpoint: null, trigger: null, since: now - 604_800_000, until: now };

interface Sent {
  endpoint: string;
  /** Of a GET, its query is the body. */
  body: string;
  headers?: Record<string, string>;
  method?: "GET" | "POST";
  query?: string;
}

/** What the receiver records of these requests, with a build of these triggers. */
async function receiveAll(
  triggers: readonly TriggerSource[],
  requests: readonly Sent[],
  disabled: DisabledTriggers = new Map(),
): Promise<RecordedDelivery[]> {
  const store = createMemoryDeliveryStore();
  const project = projectOf(triggers);
  const receive = createReceiver({
    project: { current: () => project },
    store,
    authenticate: async () => ({ ok: true, keyId: null }),
    clock: { now: () => now },
    logger: silentLogger,
    maxBodyBytes: 100_000,
    isShuttingDown: () => false,
    disabledTriggers: async () => disabled,
  });
  for (const { endpoint, body, headers = {}, method = "POST", query = "" } of requests) {
    const bytes = Buffer.from(body);
    await receive({
      method,
      target: `/triggers/${endpoint}?${query}`,
      headers: Object.entries({
        "content-type": "application/json",
        "content-length": String(bytes.length),
        ...headers,
      }).flat(),
      readBody: (take) => void take(bytes),
    });
  }
  return store.deliveries.map(toRecorded);
}

function toRecorded({ body, receivedAt, ...rest }: NewDelivery): RecordedDelivery {
  return { ...rest, receivedAt: new Date(receivedAt).toISOString(), bytes: body && Buffer.from(body) };
}

async function compare(
  triggers: readonly TriggerSource[],
  deliveries: readonly RecordedDelivery[],
  p: { only?: Partial<BacktestRequest>; checkInput?: CheckInput } = {},
) {
  const backtest = createBacktest(projectOf(triggers), { ...period, ...p.only }, p.checkInput);
  for (const delivery of deliveries) await backtest.add(delivery);
  return backtest.end({ isComplete: true });
}

const invoice = (min: number) =>
  triggerOf({
    slug: "large",
    endpoint: "billing",
    request: z.object({ id: z.string(), amount: z.number() }),
    filter: z.object({ amount: z.number().min(min) }),
  });
const any = triggerOf({ slug: "any", endpoint: "billing", request: z.object({ id: z.string() }) });
const bill = (id: string, amount: unknown): Sent => ({ endpoint: "billing", body: JSON.stringify({ id, amount }) });
const bills = [bill("a", 50), bill("b", 150), bill("c", 250), bill("d", "much")];

const formTrigger = (body: TriggerSource["body"]) =>
  triggerOf({ slug: "form", request: z.object({ name: z.string() }), ...(body && { body }) });

const bigTrigger = (bigints: "number" | "string") =>
  triggerOf({ slug: "big", request: z.object({ id: z.string() }), body: [{ type: "json", bigints }] });

const eventTrigger = (event: string) =>
  triggerOf({ slug: "event", request: z.unknown(), headers: z.object({ "x-event": z.literal(event) }) });

const topicTrigger = (topic: string) =>
  triggerOf({
    slug: "topic",
    request: z.unknown(),
    query: z.object({ topic: z.literal(topic), to: z.array(z.string()) }),
  });

const manyTriggers = (value: string) =>
  Array.from({ length: 60 }, (_, at) =>
    triggerOf({
      slug: `t${at}`,
      endpoint: "many",
      request: z.object({ kind: z.literal(at === 7 ? value : `k${at}`) }),
    }),
  );

const noteTrigger = (min: number) => triggerOf({ slug: "text", request: z.object({ note: z.string().min(min) }) });

describe("a build", () => {
  it("that changes a filter gains and loses exactly the deliveries between both, with path, expected and actual value", async () => {
    const deliveries = await receiveAll([any, invoice(200)], bills);
    const [, b] = deliveries;
    expect(await compare([any, invoice(100)], deliveries)).toMatchObject({
      compared: 4,
      gained: 1,
      lost: 0,
      notCompared: [],
      triggers: [
        {
          trigger: "large",
          attachmentId: "large:large",
          gained: 1,
          lost: 0,
          changes: [
            {
              change: "gained",
              deliveryId: b?.id,
              endpoint: "billing",
              outcome: "filter_mismatch",
              reasons: [{ pointer: "/amount", expected: "≥ 200", actual: "150" }],
              runId: null,
            },
          ],
        },
      ],
    });
    const tightened = await compare([any, invoice(300)], deliveries);
    expect(tightened).toMatchObject({ gained: 0, lost: 1 });
    expect(tightened.triggers[0]?.changes).toMatchObject([
      {
        change: "lost",
        deliveryId: deliveries[2]?.id,
        outcome: "filter_mismatch",
        reasons: [{ pointer: "/amount", expected: "≥ 300", actual: "250" }],
        runId: deliveries[2]?.verdicts.find(({ trigger }) => trigger === "large")?.runId,
      },
    ]);
  });

  it("that removes a trigger or its endpoint loses its firings, and one that adds a trigger gains them", async () => {
    const deliveries = await receiveAll([any, invoice(200)], bills);
    const without = await compare([any], deliveries);
    expect(without).toMatchObject({ gained: 0, lost: 1, triggers: [{ trigger: "large", lost: 1 }] });
    expect(without.triggers[0]?.changes).toMatchObject([{ outcome: "absent", reasons: [] }]);
    expect(await compare([], deliveries)).toMatchObject({ gained: 0, lost: 5 });
    const added = await compare(
      [any, invoice(200), triggerOf({ slug: "new", endpoint: "billing", request: z.unknown() })],
      deliveries,
    );
    expect(added).toMatchObject({ gained: 4, lost: 0, triggers: [{ trigger: "new", gained: 4 }] });
    expect(added.triggers[0]?.changes[0]).toMatchObject({ change: "gained", outcome: "absent", reasons: [] });
  });

  it("that accepts other body formats is compared on bodies that were rejected, and the other way round", async () => {
    const sent = [
      { endpoint: "form", body: "name=Ada", headers: { "content-type": "application/x-www-form-urlencoded" } },
      { endpoint: "form", body: '{"name":"Ada"}' },
    ];
    const [json, forms] = [formTrigger(undefined), formTrigger([{ type: "form", field: null, bigints: "number" }])];
    const recorded = await receiveAll([json], sent);
    const changed = await compare([forms], recorded);
    expect(changed).toMatchObject({ compared: 2, gained: 1, lost: 1 });
    expect(changed.triggers[0]?.changes).toMatchObject([
      { change: "gained", outcome: "rejected", reasons: [{ code: "unsupported_media_type" }] },
      { change: "lost", outcome: "rejected", reasons: [{ code: "unsupported_media_type" }] },
    ]);
    const broken = await receiveAll([json], [{ endpoint: "form", body: "{" }]);
    expect(await compare([json], broken)).toMatchObject({ compared: 1, gained: 0, lost: 0 });
  });

  it("that takes large integers as strings is compared with them", async () => {
    const deliveries = await receiveAll(
      [bigTrigger("string")],
      [{ endpoint: "big", body: '{"id":12345678901234567890}' }],
    );
    expect(await compare([bigTrigger("string")], deliveries)).toMatchObject({ compared: 1, gained: 0, lost: 0 });
    const changed = await compare([bigTrigger("number")], deliveries);
    expect(changed.triggers[0]?.changes).toMatchObject([
      { change: "lost", outcome: "request_mismatch", reasons: [{ pointer: "/id" }] },
    ]);
  });

  it("that evaluates headers is compared with the recorded ones", async () => {
    const sent = { endpoint: "event", body: "{}", headers: { "x-event": "issues" } };
    const deliveries = await receiveAll([eventTrigger("issues")], [sent]);
    expect(await compare([eventTrigger("issues")], deliveries)).toMatchObject({ gained: 0, lost: 0 });
    const changed = await compare([eventTrigger("push")], deliveries);
    expect(changed.triggers[0]?.changes).toMatchObject([
      { change: "lost", outcome: "headers_mismatch", reasons: [{ pointer: "/x-event", actual: '"issues"' }] },
    ]);
  });

  it("that evaluates the query is compared with the recorded one", async () => {
    const sent: Sent = { endpoint: "topic", body: "{}", query: "topic=refunds&to=a" };
    const deliveries = await receiveAll([topicTrigger("refunds")], [sent, { ...sent, query: "topic=returns&to=a" }]);
    expect(await compare([topicTrigger("refunds")], deliveries)).toMatchObject({ compared: 2, gained: 0, lost: 0 });
    const changed = await compare([topicTrigger("returns")], deliveries);
    expect(changed.triggers[0]?.changes).toMatchObject([
      { change: "lost", outcome: "query_mismatch", reasons: [{ pointer: "/topic", actual: '"refunds"' }] },
      { change: "gained", outcome: "query_mismatch", reasons: [{ pointer: "/topic", actual: '"returns"' }] },
    ]);
  });

  it("that accepts other methods is compared with the recorded ones", async () => {
    const form = [{ type: "form", field: null, bigints: "number" }] as const;
    const accepting = (...methods: ("GET" | "POST")[]) =>
      triggerOf({ slug: "sms", request: z.object({ id: z.literal("7") }), body: form, methods });
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const sent: Sent[] = [
      { endpoint: "sms", body: "", method: "GET", query: "id=7" },
      { endpoint: "sms", body: "id=7", headers: type },
    ];
    const deliveries = await receiveAll([accepting("POST", "GET")], sent);
    expect(await compare([accepting("POST", "GET")], deliveries)).toMatchObject({ compared: 2, gained: 0, lost: 0 });
    for (const [kept, lost] of [
      ["GET", deliveries[1]],
      ["POST", deliveries[0]],
    ] as const)
      expect((await compare([accepting(kept)], deliveries)).triggers).toMatchObject([
        {
          lost: 1,
          changes: [{ deliveryId: lost?.id, outcome: "rejected", reasons: [{ code: "method_not_allowed" }] }],
        },
      ]);
  });

  it("that is unchanged changes nothing, for all triggers and all bodies", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(shapes, fc.option(shapes)), { minLength: 1, maxLength: 4 }),
        fc.array(fc.json({ maxDepth: 3 }), { maxLength: 8 }),
        versions,
        async (made, bodies, version) => {
          const triggers = made.map(([request, filter], at) => ({
            ...triggerOf({ slug: `t${at}`, endpoint: "e", request: z.unknown() }),
            request: toSchema({ shape: request, version }),
            filter: filter && toSchema({ shape: filter, version }),
          }));
          const deliveries = await receiveAll(
            triggers,
            bodies.map((body) => ({ endpoint: "e", body })),
          );
          const { gained, lost, compared } = await compare(triggers, deliveries);
          expect([gained, lost, compared]).toEqual([0, 0, bodies.length]);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("a delivery that cannot be compared is counted with its reason", () => {
  const [first = { endpoint: "billing", body: "{}" }] = bills;

  it("if its body is not stored", async () => {
    const deliveries = await receiveAll([any], [first]);
    const result = await compare(
      [],
      deliveries.map((delivery) => ({ ...delivery, bytes: null })),
    );
    expect(result).toMatchObject({
      compared: 0,
      lost: 0,
      notCompared: [{ reason: "no_body", code: null, deliveries: 1, example: deliveries[0]?.id }],
    });
  });

  it("if it was rejected before triggers were evaluated", async () => {
    const signed = triggerOf({
      slug: "signed",
      request: z.unknown(),
      verify: github({ secret: "a secret of the sender" }),
    });
    const deliveries = await receiveAll(
      [signed],
      [
        { endpoint: "signed", body: "{}" },
        { endpoint: "nowhere", body: "{}" },
      ],
    );
    expect((await compare([signed], deliveries)).notCompared).toMatchObject([
      { reason: "rejected", code: "invalid_signature", deliveries: 1 },
      { reason: "rejected", code: "unknown_endpoint", deliveries: 1 },
    ]);
  });

  it("if it repeats an event, was redelivered, or verified the endpoint", async () => {
    const secret = "a secret of the sender";
    const at = String(Math.floor(now / 1000));
    const challenge = JSON.stringify({ type: "url_verification", challenge: "c" });
    const verified = triggerOf({ slug: "slack", request: z.unknown(), verify: slack({ secret }) });
    const signature = createHmac("sha256", secret).update(`v0:${at}:${challenge}`).digest("hex");
    const repeat = { ...first, headers: { "idempotency-key": "k" } };
    const deliveries = await receiveAll(
      [any, verified],
      [
        repeat,
        repeat,
        {
          endpoint: "slack",
          body: challenge,
          headers: { "x-slack-request-timestamp": at, "x-slack-signature": `v0=${signature}` },
        },
      ],
    );
    const [accepted] = deliveries;
    if (!accepted) throw new Error("nothing was received");
    const result = await compare([], [...deliveries, { ...accepted, redeliveryOf: accepted.id }]);
    expect(result).toMatchObject({ compared: 1, lost: 1 });
    expect(result.notCompared.map(({ reason }) => reason).toSorted()).toEqual(["handshake", "redelivery", "repeat"]);
  });

  it("if a trigger that would fire was disabled; its other triggers are compared", async () => {
    const off: DisabledTriggers = new Map([["any", { at: "2026-01-01T00:00:00.000Z", reason: null }]]);
    const deliveries = await receiveAll([any, invoice(200)], bills, off);
    const result = await compare([any, invoice(300)], deliveries);
    expect(result).toMatchObject({ compared: 4, gained: 0, lost: 1, triggers: [{ trigger: "large" }] });
    expect(result.notCompared).toMatchObject([{ reason: "disabled", deliveries: 4 }]);
  });
});

it("on an endpoint with very many triggers, all firings are compared, listed or not", async () => {
  const sent = ["k7", "k8", "other"].map((kind) => ({ endpoint: "many", body: JSON.stringify({ kind }) }));
  const deliveries = await receiveAll(manyTriggers("k7"), sent);
  expect(await compare(manyTriggers("k7"), deliveries)).toMatchObject({ compared: 3, gained: 0, lost: 0 });
  const changed = await compare(manyTriggers("other"), deliveries);
  expect(changed).toMatchObject({ gained: 1, lost: 1, triggers: [{ trigger: "t7" }] });
  expect(changed.triggers[0]?.changes).toMatchObject([
    { change: "lost", outcome: "request_mismatch", reasons: [{ pointer: "/kind", actual: '"k7"' }] },
    { change: "gained" },
  ]);
});

it("only the firings of the chosen trigger are compared", async () => {
  const deliveries = await receiveAll([any, invoice(200)], bills);
  expect(await compare([], deliveries, { only: { trigger: "large" } })).toMatchObject({
    trigger: "large",
    lost: 1,
    triggers: [{ trigger: "large" }],
  });
});

it("more than 100 differences of a trigger are counted, and the newest 100 are listed", async () => {
  const deliveries = await receiveAll(
    [any],
    Array.from({ length: 130 }, (_, at) => bill(String(at), at)),
  );
  const { lost, triggers } = await compare([], deliveries);
  expect([lost, triggers[0]?.lost, triggers[0]?.changes.length]).toEqual([130, 130, 100]);
  expect(triggers[0]?.changes[0]?.deliveryId).toBe(deliveries[0]?.id);
});

it("a key in a body does not reach the result", async () => {
  const key = "sbk_0123456789abcdefghij";
  const deliveries = await receiveAll([noteTrigger(1)], [{ endpoint: "text", body: JSON.stringify({ note: key }) }]);
  const result = await compare([triggerOf({ slug: "text", request: z.object({ note: z.literal("x") }) })], deliveries);
  expect(result.lost).toBe(1);
  expect(JSON.stringify(result)).not.toContain(key);
  expect(JSON.stringify(result)).toContain("[redacted]");
});

it("the check of the input gets every match with its payload, and its failures are counted by trigger", async () => {
  const deliveries = await receiveAll([any, invoice(200)], bills);
  const checked: unknown[] = [];
  const result = await compare([any, invoice(100)], deliveries, {
    async checkInput({ trigger: { slug }, payload, delivery }) {
      checked.push([slug, payload, delivery.id]);
      return slug === "large" ? { name: "InvalidInput", message: "No.", errors: [] } : null;
    },
  });
  expect(checked).toHaveLength(6);
  expect(checked).toContainEqual(["large", { id: "b", amount: 150 }, deliveries[1]?.id]);
  expect(result).toMatchObject({ gained: 1, failed: 2, triggers: [{ trigger: "large", failed: 2 }] });
  expect(result.triggers[0]?.failures[0]).toMatchObject({ name: "InvalidInput", deliveryId: deliveries[1]?.id });
});

/** The inputs of one trigger are invalid. */
const failsForNew: CheckInput = async ({ trigger }) =>
  trigger.slug === "new" ? { name: "InvalidInput", message: "no", errors: [] } : null;

describe("a comparison in parts", () => {
  it("has the result of one comparison, however the deliveries are divided", async () => {
    const recorded = await receiveAll([any, invoice(200)], bills);
    const oldestFirst = Array.from({ length: 300 }, (_, at): RecordedDelivery => {
      const receivedAt = now - (300 - at) * 1000;
      const [delivery] = recorded.slice(at % recorded.length);
      if (!delivery) throw new Error("unreachable: four were received");
      const own = { ...delivery, id: newId("dlv", receivedAt), receivedAt: new Date(receivedAt).toISOString() };
      return at % 7 === 0 ? { ...own, bytes: null } : at % 11 === 0 ? { ...own, outcome: "repeated" } : own;
    });
    const many = oldestFirst.toReversed();
    const build = [invoice(100), triggerOf({ slug: "new", endpoint: "billing", request: z.unknown() })];
    const whole = await compare(build, many, { checkInput: failsForNew });
    expect(whole).toMatchObject({ compared: 233, notCompared: [{ reason: "no_body" }, { reason: "repeat" }] });
    expect(whole.triggers.map(({ changes, failures }) => [changes.length, failures.length])).toEqual([
      [100, 0],
      [59, 0],
      [100, 100],
    ]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(3), { minLength: many.length, maxLength: many.length }), async (partOf) => {
        const parts = [0, 1, 2, 3].map((part) => many.filter((_, at) => partOf[at] === part));
        const compared = await Promise.all(parts.map((part) => compare(build, part, { checkInput: failsForNew })));
        expect(mergeBacktests(compared)).toEqual(whole);
      }),
      { numRuns: 20 },
    );
  });
});
