import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import type { DisabledTriggers } from "../contract/disabled.ts";
import type { Json, JsonSchemaObject } from "../contract/json.ts";
import type { OnMismatch } from "../contract/project/endpoint.ts";
import { triggerOf } from "../ingest/testing/project.ts";
import type { AnySchema, TriggerSource } from "../ports/project.ts";
import { decideDelivery, disabledVerdict } from "./match-triggers.ts";
import { buildTriggerIndex } from "./index/trigger-index.ts";

/** Twelve triggers of ten slugs on one endpoint. */
const types = Array.from({ length: 12 }, (_, at) => `event.${at % 10}`);
const schemas = types.map((type) => z.object({ type: z.literal(type), amount: z.number() }));
const triggers: TriggerSource[] = types.map((type, at) => ({
  slug: type.replace(".", "-"),
  endpoint: "billing",
  attachmentId: `${type.replace(".", "-")}:target-${at}`,
  target: { kind: "workflow", slug: `target-${at}` },
  request: schemas[at] as unknown as AnySchema,
  filter: null,
}));
const exported = schemas.map((schema) => ({
  request: z.toJSONSchema(schema, { io: "input" }) as JsonSchemaObject,
  filter: null,
}));
const slugs = [...new Set(triggers.map(({ slug }) => slug))];

const index = buildTriggerIndex(exported);
const bodies = fc.record({
  type: fc.constantFrom(...types, "other"),
  amount: fc.oneof(fc.integer(), fc.constant("much")),
});
const someOff = fc
  .subarray(slugs)
  .map(
    (off): DisabledTriggers =>
      new Map(
        off.map((slug) => [slug, { at: "2026-01-01T00:00:00.000Z", reason: slug === "event-1" ? "noisy" : null }]),
      ),
  );

const decide = (body: Json, disabled: DisabledTriggers, indexed: boolean) =>
  decideDelivery({
    manifest: { version: "v1", workflows: [], agents: [] },
    triggers,
    index: indexed ? index : null,
    isShared: true,
    headers: {},
    body,
    deliveryId: "dlv_1",
    now: 0,
    startedBy: "webhook",
    keyId: null,
    disabled,
  });

test("a disabled trigger never starts a run and says so of every body; the others say and start what they do without it", () => {
  fc.assert(
    fc.property(bodies, someOff, fc.boolean(), (body, disabled, indexed) => {
      const whole = decide(body, new Map(), indexed);
      const decision = decide(body, disabled, indexed);
      expect(decision.runs.map(({ attachmentId }) => attachmentId)).toEqual(
        whole.runs.map(({ attachmentId }) => attachmentId).filter((id) => !disabled.has(id?.split(":")[0] ?? "")),
      );
      const withoutRuns = (verdicts: typeof decision.verdicts) =>
        verdicts.map((verdict) => ({ ...verdict, runId: verdict.runId === null ? null : "run" }));
      const expected = withoutRuns(whole.verdicts).map((verdict) =>
        disabled.has(verdict.trigger) ? disabledVerdict({ ...verdict, slug: verdict.trigger }, disabled) : verdict,
      );
      expect(withoutRuns(decision.verdicts)).toEqual(expected);
      expect(decision.outcome).toBe(decision.runs.length > 0 ? "accepted" : "skipped");
    }),
    { numRuns: 500 },
  );
});

test("the only trigger of an endpoint, disabled, skips what it would reject", () => {
  const [only] = triggers;
  const alone = (disabled: DisabledTriggers) =>
    decideDelivery({
      manifest: { version: "v1", workflows: [], agents: [] },
      triggers: only ? [only] : [],
      index: null,
      isShared: false,
      headers: {},
      body: {},
      deliveryId: "dlv_1",
      now: 0,
      startedBy: "webhook",
      keyId: null,
      disabled,
    });
  expect(alone(new Map())).toMatchObject({ outcome: "rejected", responseStatus: 422 });
  const off = alone(new Map([["event-0", { at: "2026-01-01T00:00:00.000Z", reason: "noisy" }]]));
  expect(off).toMatchObject({ outcome: "skipped", responseStatus: 200 });
  expect(off.verdicts).toMatchObject([
    {
      outcome: "disabled",
      runId: null,
      reasons: [{ code: "disabled", message: "Disabled since 2026-01-01T00:00:00.000Z: noisy" }],
    },
  ]);
});

const shipped = z.object({ type: z.literal("shipped"), order: z.string().trim() });
const waking = triggerOf({ slug: "shipped", endpoint: "orders", target: null, request: shipped });
const starting = triggerOf({ slug: "shipped", endpoint: "orders", target: "audit", request: shipped });
const other = triggerOf({ slug: "new-order", endpoint: "orders", request: z.object({ type: z.literal("new") }) });
const any = triggerOf({ slug: "any", endpoint: "orders", target: null, request: z.object({ type: z.string() }) });

const decideBy = (
  given: readonly TriggerSource[],
  {
    type = "shipped",
    ...options
  }: { type?: string; onMismatch?: OnMismatch; isShared?: boolean; disabled?: DisabledTriggers } = {},
) =>
  decideDelivery({
    manifest: { version: "v1", workflows: [], agents: [] },
    triggers: given,
    index: null,
    isShared: given.length > 1,
    headers: {},
    body: { type, order: " 7 " },
    deliveryId: "dlv_1",
    now: 0,
    startedBy: "webhook",
    keyId: null,
    disabled: new Map(),
    ...options,
  });

test.each([
  { triggers: [waking], onMismatch: "reject" },
  { triggers: [waking], onMismatch: "hold" },
  { triggers: [waking], onMismatch: "skip" },
  { triggers: [other, waking], onMismatch: "hold" },
  { triggers: [other, waking], onMismatch: "reject" },
] as const)(
  "a match that has no target starts no run and skips the body, with onMismatch $onMismatch",
  ({ triggers: given, onMismatch }) => {
    const decision = decideBy(given, { onMismatch });
    expect(decision).toMatchObject({ outcome: "skipped", responseStatus: 200, runs: [] });
    expect(decision.verdicts.at(-1)).toMatchObject({
      trigger: "shipped",
      attachmentId: "shipped",
      target: null,
      outcome: "matched",
      runId: null,
    });
  },
);

test("a body that matches neither is held or rejected, as if each trigger had a target", () => {
  const mismatch = { type: "lost", isShared: false } as const;
  expect(decideBy([waking], mismatch)).toMatchObject({ outcome: "rejected", events: [] });
  expect(decideBy([waking], { ...mismatch, onMismatch: "hold" })).toMatchObject({ outcome: "held", events: [] });
});

test("a trigger without a target beside one of the same slug leaves it its run", () => {
  const decision = decideBy([waking, starting]);
  expect(decision).toMatchObject({ outcome: "accepted", responseStatus: 202 });
  expect(decision.runs.map(({ attachmentId }) => attachmentId)).toEqual(["shipped:audit"]);
  expect(decision.verdicts.map(({ outcome, runId }) => [outcome, runId])).toEqual([
    ["matched", null],
    ["matched", decision.runs[0]?.id],
  ]);
});

test("the events are the payloads of all sources that match, once for each slug, without disabled ones", () => {
  const event = { source: "shipped", payload: { type: "shipped", order: "7" } };
  const all = [any, other, waking, starting];
  expect(decideBy(all).events).toEqual([{ source: "any", payload: { type: "shipped" } }, event]);
  expect(decideBy([starting]).events).toEqual([event]);
  const isOff = { at: "2026-01-01T00:00:00.000Z", reason: null };
  expect(decideBy(all, { disabled: new Map([["any", isOff]]) }).events).toEqual([event]);
  expect(decideBy(all, { disabled: new Map([["shipped", isOff]]) })).toMatchObject({
    outcome: "skipped",
    events: [{ source: "any" }],
  });
});
