import { expect, it, vi } from "vitest";
import { z } from "zod";
import { aDelivery } from "../../../../server/store/testing/factories.ts";
import { projectOf, triggerOf } from "../../../../server/ingest/testing/project.ts";
import type { RecordedDelivery } from "../../../../server/matching/backtest.ts";
import type { AnySchema, LoadedTrigger, ProjectCode, TriggerSource } from "../../../../server/ports/project.ts";
import { createInputCheck, type InputCheck } from "./check-input.ts";

const request = z.object({ amount: z.number() }) as unknown as AnySchema;
const paid = triggerOf({ slug: "paid", request: z.object({ amount: z.number() }) });
const asked: TriggerSource = { ...paid, attachmentId: "paid:triage", target: { kind: "agent", slug: "triage" } };

function check(given: { what: InputCheck; trigger?: TriggerSource; code: Partial<LoadedTrigger> }) {
  const { what, trigger = paid, code } = given;
  const run = vi.fn<() => void>();
  const project: ProjectCode = {
    manifest: projectOf([trigger]).manifest,
    workflow: async (slug) => ({
      slug,
      input: z.object({ cents: z.int() }) as unknown as AnySchema,
      output: null,
      run,
    }),
    agent: () => Promise.reject(new Error("An agent is not loaded for its input")),
    trigger: async () => ({ request, transform: null, ...code }),
    mapStack: (stack) => stack,
    excerptOf: () => null,
  };
  const { receivedAt, body, ...delivery } = aDelivery({
    headers: { "x-topic": "invoices", authorization: "[redacted]" },
  });
  const recorded: RecordedDelivery = {
    ...delivery,
    receivedAt: new Date(receivedAt).toISOString(),
    bytes: body && Buffer.from(body),
  };
  return {
    run,
    deliveryId: delivery.id,
    result: createInputCheck(project, what)({ trigger, payload: { amount: 1.5 }, delivery: recorded }),
  };
}

it("a transform gets the payload and the recorded request, without credentials", async () => {
  const calls: unknown[][] = [];
  const transform = (...args: unknown[]) => void calls.push(args);
  const { result, deliveryId, run } = check({ what: "transform", code: { transform } });
  expect(await result).toBeNull();
  expect(calls).toEqual([
    [
      { amount: 1.5 },
      {
        headers: { "x-topic": "invoices" },
        query: {},
        deliveryId,
        receivedAt: "2026-01-01T00:00:00.000Z",
        endpoint: "",
      },
    ],
  ]);
  expect(run).not.toHaveBeenCalled();
});

it("`input` also parses the result with the input of the target, and lists the paths", async () => {
  const wrong = { transform: () => ({ cents: "150" }) };
  expect(await check({ what: "transform", code: wrong }).result).toBeNull();
  expect(await check({ what: "input", code: wrong }).result).toMatchObject({
    name: "InvalidInput",
    errors: [{ pointer: "/cents", code: "invalid_type" }],
  });
  const valid = check({ what: "input", code: { transform: () => ({ cents: 150 }) } });
  expect(await valid.result).toBeNull();
  expect(valid.run).not.toHaveBeenCalled();
});

it("a transform that throws or rejects is a failure with its error", async () => {
  for (const transform of [
    () => {
      throw new RangeError("too much");
    },
    () => Promise.reject(new RangeError("too much")),
  ])
    expect(await check({ what: "transform", code: { transform } }).result).toMatchObject({
      name: "TransformFailed",
      message: "The transform of trigger paid threw RangeError: too much",
      errors: [],
    });
});

it("a transform that does not end in ten seconds is a failure", async () => {
  vi.useFakeTimers();
  try {
    const { result } = check({ what: "transform", code: { transform: () => new Promise(() => {}) } });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await result).toMatchObject({
      name: "TransformFailed",
      message: "The transform took more than 10 s.",
    });
  } finally {
    vi.useRealTimers();
  }
});

it("the prompt of an agent is made, and an empty one is a failure; the agent is not loaded", async () => {
  const [made, empty] = ["Triage this invoice.", ""].map((text) =>
    check({ what: "input", trigger: asked, code: { prompt: () => text } }),
  );
  expect(await made?.result).toBeNull();
  expect(await empty?.result).toMatchObject({ errors: [{ pointer: "/prompt" }] });
});
