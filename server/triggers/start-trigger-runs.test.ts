import { expect, test } from "vitest";
import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import { noneDisabled } from "../contract/disabled.ts";
import { decideDelivery } from "../matching/match-triggers.ts";
import { noSignals } from "../ports/signals.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { startTriggerRuns } from "./start-trigger-runs.ts";

const request = z.object({
  name: z.string().min(1),
  kind: z.enum(["a", "b"]),
  key: z.strictObject({}),
  shape: z.discriminatedUnion("type", [
    z.object({ type: z.literal("x") }),
    z.object({ type: z.literal("y"), n: z.int() }),
  ]),
});

const unreachable = async () => expect.unreachable();

test("a body that does not match is answered in the same words as a webhook's, and repeats no key either", async () => {
  const project = projectOf([triggerOf({ slug: "signup", request })]);
  const key = `sbk_${"A".repeat(43)}`;
  const body = { name: "", kind: "c", key: { [key]: 1 }, shape: { type: "y", n: "1" } };
  const decision = decideDelivery({
    ...project,
    index: null,
    isShared: false,
    headers: {},
    body,
    deliveryId: "dlv_1",
    now: 0,
    startedBy: "webhook",
    keyId: null,
    disabled: noneDisabled,
  });
  const store = {
    createRuns: unreachable,
    createRunsOnce: unreachable,
    listDisabledTriggers: async () => noneDisabled,
  };
  const rejection: unknown = await startTriggerRuns(
    { store, project: { current: () => project }, signals: noSignals, clock: { now: () => 0 } },
    { slug: "signup", body, startedBy: "form" },
  ).catch((error: unknown) => error);
  expect(rejection).toBeInstanceOf(AppError);
  const { message, errors } = rejection as AppError;
  expect(decision).toMatchObject({ outcome: "rejected", rejection: { code: "request_mismatch", message, errors } });
  expect(errors).toHaveLength(4);
  expect(JSON.stringify(errors)).not.toContain(key);
});

test("a trigger without a target is not found: it starts nothing, and its endpoint wakes runs", async () => {
  const project = projectOf([triggerOf({ slug: "shipped", endpoint: "orders", target: null, request })]);
  const store = { createRuns: unreachable, createRunsOnce: unreachable, listDisabledTriggers: unreachable };
  const rejection: unknown = await startTriggerRuns(
    { store, project: { current: () => project }, signals: noSignals, clock: { now: () => 0 } },
    { slug: "shipped", body: {}, startedBy: "form" },
  ).catch((error: unknown) => error);
  expect(rejection).toMatchObject({
    code: "not_found",
    message:
      'The trigger "shipped" has no workflow or agent, so it starts nothing. A webhook to /triggers/orders wakes the runs that wait for it.',
  });
});

test("a slug with and without a target starts its target only", async () => {
  const any = z.object({ id: z.string() });
  const project = projectOf([
    triggerOf({ slug: "shipped", target: null, request: any }),
    triggerOf({ slug: "shipped", target: "audit", request: any }),
  ]);
  const store = {
    createRuns: async () => {},
    createRunsOnce: unreachable,
    listDisabledTriggers: async () => noneDisabled,
  };
  const started = await startTriggerRuns(
    { store, project: { current: () => project }, signals: noSignals, clock: { now: () => 0 } },
    { slug: "shipped", body: { id: "1" }, startedBy: "form" },
  );
  expect(started.runs.map(({ target }) => target.slug)).toEqual(["audit"]);
  expect(started.verdicts.map(({ attachmentId }) => attachmentId)).toEqual(["shipped:audit"]);
});
