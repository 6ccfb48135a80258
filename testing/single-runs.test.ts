import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { scriptedModel } from "signalbox/agent";
import { testProject, type TestProjectOptions } from "signalbox/testing";
import "signalbox/testing/vitest";
import { makeProjectUntil } from "../cli/build/testing/make-project.ts";
import { ordersProject } from "./testing/orders-project.ts";

const projectDir = makeProjectUntil(afterAll, ordersProject);

async function open(options: TestProjectOptions = {}) {
  const app = await testProject({ projectDir, now: "2026-01-01T00:00:00Z", timeout: "1m", ...options });
  onTestFinished(() => app.close());
  return app;
}

const renewal = { customer: "ada" };

describe("fire", () => {
  it("starts a trigger with a body and settles its run", async () => {
    const app = await open();
    const run = await app.fire("large-order", {
      type: "order.paid",
      order: { id: "o-2", email: "ada@example.com", cents: 1_000_000 },
    });
    expect(run).toComplete("noted o-2");
    expect(run).toMatchObject({ trigger: "large-order", deliveryId: null });
  });

  it("throws the reasons if the body does not match", async () => {
    const app = await open();
    const body = { type: "order.paid", order: { id: "o-2", email: "ada", cents: 5 } };
    await expect(app.fire("large-order", body)).rejects.toThrow("/order/email: Invalid email address");
    const small = { type: "order.paid", order: { ...body.order, email: "ada@example.com" } };
    await expect(app.fire("large-order", small)).rejects.toThrow("/order/cents: ");
    await expect(app.fire("larg-order", small)).rejects.toThrow("large-order");
  });
});

describe("testRun", () => {
  it("starts a workflow with its input, and replaces its steps", async () => {
    const app = await open();
    const calls: unknown[] = [];
    const run = await app.testRun("renewal", renewal, {
      mockStep: {
        find: { id: 7 },
        "send mail": (step: unknown) => void calls.push(step),
      },
    });
    expect(run).toComplete({ found: { id: 7 }, charged: { key: `${run.id}:charge`, plan: "free" } });
    expect(calls).toEqual([{ idempotencyKey: `${run.id}:send mail`, signal: expect.any(AbortSignal) }]);
    expect(run.steps.find(({ name }) => name === "send note")).toMatchObject({ result: "Hello note", tries: 1 });
  });

  it("continues after stored steps, which are not executed", async () => {
    const app = await open();
    const run = await app.testRun("renewal", renewal, { stored: { find: { id: 8 }, charge: "charged before" } });
    expect(run).toComplete({ found: { id: 8 }, charged: "charged before" });
    expect(run.steps.slice(0, 2)).toEqual([
      { kind: "step", name: "find", tries: 0, isDone: true, result: { id: 8 } },
      { kind: "step", name: "charge", tries: 0, isDone: true, result: "charged before" },
    ]);
  });

  it("rejects an input that does not match, and a name that does not exist", async () => {
    const app = await open();
    await expect(app.testRun("renewal", {})).rejects.toThrow("/customer: ");
    await expect(app.testRun("renewals", {})).rejects.toThrow("renewal");
  });

  it("fails a step, whose retry succeeds with the same idempotency key", async () => {
    const app = await open();
    const run = await app.testRun("renewal", renewal, { mockStep: { find: null }, failAt: "charge" });
    expect(run).toComplete();
    expect(run).toMatchObject({ attempt: 2, output: { charged: { key: `${run.id}:charge` } } });
    expect(run.steps.find(({ name }) => name === "charge")).toMatchObject({ tries: 2, isDone: true });
  });

  it("fails a step permanently, with an error of the test", async () => {
    const app = await open();
    const failAt = { step: "charge", times: Infinity, error: new RangeError("card declined") };
    const run = await app.testRun("renewal", renewal, { mockStep: { find: null }, failAt });
    expect(run).toFail("RangeError");
    expect(run).toFail("declined");
    expect(run.attempt).toBe(3);
  });

  it("throws if the run never reaches the step that the test fails", async () => {
    const app = await open();
    await expect(app.testRun("renewal", renewal, { mockStep: { find: 1 }, failAt: "chrage" })).rejects.toThrow(
      'called no step "chrage". It called "find", "charge", "send mail", "send note"',
    );
  });

  it("throws if the name of a replaced or stored step is misspelled, and lets a run leave out a replaced step", async () => {
    const app = await open();
    await expect(app.testRun("renewal", renewal, { mockStep: { fnid: 1 } })).rejects.toThrow(
      'The run of workflow renewal called no step "fnid", which mockStep names. Did you mean "find"? It called "find"',
    );
    await expect(app.testRun("renewal", renewal, { mockStep: { find: 1 }, stored: { refund: 1 } })).rejects.toThrow(
      'called no step "refund", which `stored` names. It called "find"',
    );
    expect(await app.testRun("renewal", renewal, { mockStep: { find: 1, refund: 1 } })).toComplete();
  });

  it("throws for an option that does not exist", async () => {
    const app = await open();
    const misspelled = { mockSteps: { find: 1 }, signed: true, crashafter: "find", projectdir: "." } as object;
    await expect(app.testRun("renewal", renewal, misspelled)).rejects.toThrow(
      'testRun: there is no option mockSteps. Did you mean "mockStep"? The options are mockStep, failAt, ',
    );
    await expect(app.fire("large-order", {}, misspelled)).rejects.toThrow("fire: there is no option mockSteps.");
    await expect(app.deliver("orders", {}, misspelled)).rejects.toThrow("deliver: there is no option mockSteps.");
    await expect(app.settle({ runs: [] } as never, misspelled)).rejects.toThrow(
      "settle: there is no option mockSteps.",
    );
    await expect(testProject({ projectDir, ...misspelled })).rejects.toThrow(
      "testProject: there is no option mockSteps.",
    );
    await expect(app.testRun("renewal", renewal, { failAt: { step: "find", times: 0 } })).rejects.toThrow(
      "failAt: times must be at least 1, but is 0.",
    );
  });

  it("of a delivery with several runs fails the step in the run that has it", async () => {
    const app = await open();
    const both = await app.deliver("orders", {
      type: "order.paid",
      order: { id: "o-1", email: "ada@example.com", cents: 2_000_000 },
    });
    const run = await app.settle(both, { trigger: "order-paid", failAt: "charge" });
    expect(run).toComplete();
    expect(run.attempt).toBe(2);
  });
});

describe("a crash", () => {
  it("after a step continues the run from its first line, without executing the step again", async () => {
    const app = await open();
    let finds = 0;
    const run = await app.testRun("renewal", renewal, {
      mockStep: { find: () => (finds += 1) },
      crashAfter: "find",
    });
    expect(run).toComplete({ found: 1, charged: { key: `${run.id}:charge`, plan: "free" } });
    expect(run.attempt).toBe(1);
    expect(finds).toBe(1);
  });

  it("after every step leaves a deterministic run as it is", async () => {
    const app = await open();
    const run = await app.testRun("renewal", renewal, { mockStep: { find: 1 }, replayEveryStep: true });
    expect(run).toComplete();
    const delivery = await app.deliver("orders", {
      type: "order.paid",
      order: { id: "o-1", email: "ada@example.com", cents: 4900 },
    });
    expect(await app.settle(delivery, { replayEveryStep: true })).toComplete({ receipt: "receipt o-1 for 4900" });
  });

  it("finds a step whose name differs each time", async () => {
    const app = await open();
    await expect(app.testRun("timed", { kind: "name" }, { replayEveryStep: true })).rejects.toThrow(
      /The code of workflow timed is not deterministic\. After a replay, it did not call "call \d+" again, which had completed\. It called "call \d+"\./,
    );
  });

  it("finds an output that differs each time", async () => {
    const app = await open();
    await expect(app.testRun("timed", { kind: "output" }, { replayEveryStep: true })).rejects.toThrow(
      /It returned \d+, and \d+ after a replay/,
    );
  });
});

describe("an agent", () => {
  const refund = { calls: [{ tool: "refund", input: { order: "o-1" } }] };
  const models = { support: scriptedModel({ answers: [refund, { output: { answer: "Done." } }] }) };

  it("answers with the scripted model of the test, and waits for an approval", async () => {
    const app = await open({ models });
    const waiting = await app.settle(await app.deliver("tickets", { text: "Refund o-1" }), {
      mockStep: { refund: () => "refunded" },
    });
    expect(waiting).toMatchObject({ status: "waiting", approvals: [{ tool: "refund", input: { order: "o-1" } }] });
    await app.approve(waiting);
    const run = await app.settle(waiting);
    expect(run).toComplete({ answer: "Done." });
    expect(run.toolCalls).toEqual([{ tool: "refund", input: { order: "o-1" }, outcome: "done", output: "refunded" }]);
    await expect(app.approve(run)).rejects.toThrow("does not wait for an approval");
  });

  it("gets the denial of a tool call, also after a crash at every step", async () => {
    const app = await open({ models });
    const waiting = await app.testRun("support", "Refund o-1", { replayEveryStep: true });
    await app.deny(waiting, "Not this one.");
    const run = await app.settle(waiting);
    expect(run).toComplete({ answer: "Done." });
    expect(run.toolCalls).toMatchObject([{ tool: "refund", outcome: "denied" }]);
  });

  it("that the project does not have is an error", async () => {
    await expect(open({ models: { suport: models.support } })).rejects.toThrow("no agent suport. Its agents: support.");
  });
});
