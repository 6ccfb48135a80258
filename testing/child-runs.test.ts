import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { scriptedModel } from "signalbox/agent";
import { testProject, type TestProjectOptions, type TestRun } from "signalbox/testing";
import "signalbox/testing/vitest";
import { makeProjectUntil } from "../cli/build/testing/make-project.ts";

const workflow = (slug: string, { input, run, imports = "", more = "" }: Record<string, string>) => `
  import { defineWorkflow } from "signalbox/workflow";
  import { z } from "zod";
  ${imports}
  export default defineWorkflow({ slug: "${slug}", input: z.object({ ${input} }), ${more} run: ${run} });
`;
const importing = (...slugs: string[]) =>
  slugs.map((slug) => `import ${slug.replaceAll("-", "")} from "./${slug}";`).join("\n");

const projectDir = makeProjectUntil(afterAll, {
  "triggers/order-placed.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import order from "../workflows/order";

    export default defineWebhookSource({
      slug: "order-placed",
      endpoint: "orders",
      request: z.object({ id: z.string(), amounts: z.array(z.number()) }),
    }).attach({ workflow: order });
  `,
  "triggers/order-shipped.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";

    export default defineWebhookSource({ slug: "order-shipped", endpoint: "shipping", request: z.object({ id: z.string() }) });
  `,
  "workflows/order.ts": workflow("order", {
    input: "id: z.string(), amounts: z.array(z.number())",
    imports: importing("charge", "notify"),
    run: `async ({ id, amounts }, ctx) => {
      const receipts = await Promise.all(
        amounts.map((amount) => ctx.call(\`charge \${amount}\`, charge, { amount }, { key: id })),
      );
      const started = await ctx.start("notify", notify, { order: id });
      return { receipts, started: started.id };
    }`,
  }),
  "workflows/charge.ts": workflow("charge", {
    input: "amount: z.number(), currency: z.string().default('EUR')",
    more: `retries: { attempts: 2, backoff: "fixed", initialDelay: "1m" }, output: z.object({ receipt: z.string(), at: z.iso.datetime() }),`,
    run: `async ({ amount, currency }, ctx) => {
      if (amount < 0) throw new RangeError("The amount is negative.");
      const receipt = await ctx.step("pay", () => \`\${amount} \${currency}\`);
      await ctx.sleep("settle", "1d");
      return { receipt, at: new Date(0).toISOString() };
    }`,
  }),
  "workflows/notify.ts": workflow("notify", {
    input: "order: z.string()",
    run: `async ({ order }, ctx) => {
      await ctx.sleep("a week", "7d");
      return await ctx.step("send", () => { throw new Error("There is no mail server in tests."); });
    }`,
  }),
  "workflows/limited.ts": workflow("limited", {
    input: "timeout: z.enum(['1h', '3d'])",
    imports: `import { ChildRunError } from "signalbox/workflow";\n${importing("charge")}`,
    run: `async ({ timeout }, ctx) => {
      try {
        return (await ctx.call("charge", charge, { amount: 7 }, { timeout })).receipt;
      } catch (error) {
        if (!(error instanceof ChildRunError)) throw error;
        return { status: error.status, error: error.error };
      }
    }`,
  }),
  "workflows/ship.ts": workflow("ship", {
    input: "id: z.string()",
    imports: importing("track"),
    run: `async ({ id }, ctx) => {
      const pause = ctx.sleep("pause", "2d");
      const tracked = await ctx.call("track", track, { id });
      await pause;
      return tracked;
    }`,
  }),
  "workflows/track.ts": workflow("track", {
    input: "id: z.string()",
    imports: 'import shipped from "../triggers/order-shipped";',
    run: `async ({ id }, ctx) => {
      const event = await ctx.waitFor("shipped", shipped, { match: { "/id": id }, timeout: "30d" });
      return event === null ? "lost" : \`shipped \${event.id}\`;
    }`,
  }),
  "workflows/hasty.ts": workflow("hasty", {
    input: "id: z.string()",
    imports: importing("track"),
    more: `retries: { attempts: 2, backoff: "fixed", initialDelay: "1h" },`,
    run: `async ({ id }, ctx) => {
      const tracked = ctx.call("track", track, { id }, { onParentEnd: "continue" });
      if (ctx.run.attempt === 1) throw new Error("no connection");
      return await Promise.race([tracked, ctx.sleep("limit", "1d").then(() => "late")]);
    }`,
  }),
  "workflows/even.ts": workflow("even", {
    input: "n: z.int()",
    imports: importing("odd"),
    run: `async ({ n }, ctx): Promise<boolean> => n === 0 || (await ctx.call("less", odd, { n: n - 1 }))`,
  }),
  "workflows/odd.ts": workflow("odd", {
    input: "n: z.int()",
    imports: importing("even"),
    run: `async ({ n }, ctx): Promise<boolean> => n !== 0 && (await ctx.call("less", even, { n: n - 1 }))`,
  }),
  "workflows/ticket.ts": workflow("ticket", {
    input: "text: z.string()",
    imports: 'import support from "../agents/support";',
    run: `async ({ text }, ctx) => (await ctx.call("sort", support, { prompt: text })).queue`,
  }),
  "workflows/unstable.ts": workflow("unstable", {
    input: "",
    imports: importing("charge"),
    run: `async (_, ctx) => {
      globalThis.unstableCalls = (globalThis.unstableCalls ?? 0) + 1;
      await ctx.call(\`charge \${globalThis.unstableCalls}\`, charge, { amount: 1 });
      await ctx.step("note", () => null);
    }`,
  }),
  "agents/support.ts": `
    import { defineAgent, defineTool, scriptedModel } from "signalbox/agent";
    import { z } from "zod";

    export default defineAgent({
      slug: "support",
      model: scriptedModel({ answers: () => { throw new Error("The model of the project is not for tests."); } }),
      instructions: "Sort the ticket.",
      tools: {
        refund: defineTool({
          description: "Refunds an order",
          inputSchema: z.object({ order: z.string() }),
          needsApproval: true,
          execute: () => "refunded",
        }),
      },
      output: z.object({ queue: z.string() }),
    });
  `,
});

async function open(options: TestProjectOptions = {}) {
  const app = await testProject({ projectDir, now: "2026-01-01T00:00:00Z", timeout: "1m", ...options });
  onTestFinished(() => app.close());
  return app;
}
const order = { id: "o-1", amounts: [5, 7] };
const sent = { mockStep: { send: "sent" } };
const receiptOf = (amount: number) => ({ receipt: `${amount} EUR`, at: "1970-01-01T00:00:00.000Z" });
const stepsOf = (run: TestRun) => run.steps.map(({ kind, name, isDone }) => [kind, name, isDone]);

describe("a run that calls and starts others", () => {
  it("is settled with its child runs, which a test can read", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", order), sent);
    const [five, seven, notify] = run.children;
    expect(run).toComplete({ receipts: [receiptOf(5), receiptOf(7)], started: notify?.id });
    expect(stepsOf(run)).toEqual([
      ["child", "charge 5", true],
      ["child", "charge 7", true],
      ["child", "notify", true],
    ]);
    expect(run.steps[0]?.result).toEqual({ runId: five?.id, status: "completed" });
    expect(run.steps[2]?.result).toMatchObject({ runId: notify?.id });
    expect(run.children).toHaveLength(3);
    expect(five).toMatchObject({
      childOf: run.id,
      key: "o-1",
      trigger: null,
      target: { kind: "workflow", slug: "charge" },
      input: { amount: 5, currency: "EUR" },
      output: receiptOf(5),
      children: [],
    });
    expect(stepsOf(five as TestRun)).toEqual([
      ["step", "pay", true],
      ["sleep", "settle", true],
    ]);
    // Both at the same time: a day, and a week for the run that was started.
    expect([run, seven, notify].map((one) => one?.finishedAt)).toEqual([
      "2026-01-02T00:00:00.000Z",
      "2026-01-02T00:00:00.000Z",
      "2026-01-09T00:00:00.000Z",
    ]);
    expect(notify).toComplete("sent");
    expect(run.childOf).toBeNull();
  });

  it("is settled with all open runs", async () => {
    const app = await open();
    const delivery = await app.deliver("orders", { id: "o-1", amounts: [5] });
    const runs = await app.settle();
    expect(runs.map(({ target, status }) => [target.slug, status])).toEqual([
      ["order", "completed"],
      ["charge", "completed"],
      ["notify", "failed"],
    ]);
    expect(runs[0]?.id).toBe(delivery.runs[0]?.id);
  });

  it("fails with a child run that fails after its attempts, and the others are canceled", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", { id: "o-1", amounts: [5, -1] }));
    expect(run).toFail("ChildRunError");
    const [canceled, failed] = run.children;
    expect(failed).toFail("The amount is negative.");
    expect(failed?.attempt).toBe(2);
    expect(canceled?.status).toBe("canceled");
    expect(run.steps.map(({ result }) => result)).toEqual([null, { runId: failed?.id, status: "failed" }]);
  });

  it("gets the timeout of a call by the virtual clock, and the child run is canceled", async () => {
    const app = await open();
    const late = await app.testRun("limited", { timeout: "1h" });
    expect(late).toComplete({ status: "timed_out", error: null });
    expect(late.finishedAt).toBe("2026-01-01T01:00:00.000Z");
    expect(late.children.map(({ status }) => status)).toEqual(["canceled"]);
    expect(await app.testRun("limited", { timeout: "3d" })).toComplete("7 EUR");
  });

  it("stays in waiting while a child run waits for an event, after its own sleeps", async () => {
    const app = await open();
    const run = await app.testRun("ship", { id: "A1" });
    expect([run.status, run.children[0]?.status]).toEqual(["waiting", "waiting"]);
    expect(stepsOf(run)).toContainEqual(["sleep", "pause", true]);
    const shipped = await app.deliver("shipping", { id: "A1" });
    expect(shipped.woke).toEqual([{ id: run.children[0]?.id, source: "order-shipped" }]);
    expect(await app.settle(run)).toComplete("shipped A1");
  });

  it("continues when the clock passes the timeout of its child run's wait", async () => {
    const app = await open();
    const run = await app.testRun("ship", { id: "A1" });
    await app.clock.advance("30d");
    expect(await app.settle(run)).toComplete("lost");
  });

  it("is retried and sleeps although a child run waits for an event", async () => {
    const app = await open();
    const run = await app.testRun("hasty", { id: "A1" });
    expect(run).toComplete("late");
    expect(run.children.map(({ status }) => status)).toEqual(["waiting"]);
  });

  it("stays in waiting while the tool of a called agent needs an approval", async () => {
    const refund = { calls: [{ tool: "refund", input: { order: "o-1" } }] };
    const app = await open({
      models: { support: scriptedModel({ answers: [refund, { output: { queue: "billing" } }] }) },
    });
    const run = await app.testRun("ticket", { text: "My money" });
    const [agent] = run.children;
    expect([run.status, agent?.approvals]).toEqual(["waiting", [{ tool: "refund", input: { order: "o-1" } }]]);
    await app.approve(agent as TestRun);
    expect(await app.settle(run)).toComplete("billing");
  });

  it("can call a workflow whose file imports its own file", async () => {
    const app = await open();
    expect(await app.testRun("even", { n: 5 })).toComplete(false);
    const run = await app.testRun("odd", { n: 3 });
    expect(run).toComplete(true);
    expect(run.children[0]?.children[0]?.children[0]).toMatchObject({ target: { slug: "even" }, input: { n: 0 } });
  });

  it("fails with a clear error if its calls have no end", async () => {
    const app = await open();
    const run = await app.testRun("even", { n: -1 });
    expect(run).toFail("ChildRunError");
    let last: TestRun | undefined = run;
    for (let depth = 0; depth < 20; depth += 1) last = last?.children[0];
    expect(last).toFail("ChildTooDeep");
  });
});

describe("the options of a run", () => {
  it("replace child runs by the names of their calls: a function gets the input, and any other value is the output", async () => {
    const app = await open();
    const inputs: unknown[] = [];
    const run = await app.settle(await app.deliver("orders", order), {
      mockStep: {
        "charge 5": { receipt: "mocked", at: "2026-01-01T00:00:00Z", internal: 1 },
        "charge 7": (...args: unknown[]) => {
          inputs.push(...args);
          return { receipt: "called", at: "2026-01-02T00:00:00Z" };
        },
        notify: undefined,
      },
    });
    expect(run).toComplete({
      receipts: [
        { receipt: "mocked", at: "2026-01-01T00:00:00Z" },
        { receipt: "called", at: "2026-01-02T00:00:00Z" },
      ],
      started: run.children[2]?.id,
    });
    expect(inputs).toEqual([{ amount: 7, currency: "EUR" }]);
    expect(run.children.map(({ status, steps }) => [status, steps])).toEqual([
      ["completed", []],
      ["completed", []],
      ["completed", []],
    ]);
    expect(run.finishedAt).toBe("2026-01-01T00:00:00.000Z");
  });

  it("replace the run of an agent, which then needs no model", async () => {
    const app = await open();
    const prompts: unknown[] = [];
    const sort = (input: { prompt: string }) => {
      prompts.push(input);
      return { queue: "bugs" };
    };
    const run = await app.testRun("ticket", { text: "It crashes" }, { mockStep: { sort } });
    expect(run).toComplete("bugs");
    expect(run.children[0]).toMatchObject({ target: { kind: "agent", slug: "support" }, status: "completed" });
    expect(prompts).toEqual([{ prompt: "It crashes" }]);
  });

  it("fail a child run whose mocked output does not match the output schema of its target", async () => {
    const app = await open();
    const run = await app.testRun("limited", { timeout: "3d" }, { mockStep: { charge: { wrong: 1 } } });
    expect(run.output).toMatchObject({ status: "failed", error: { name: "InvalidOutput" } });
    expect(run.children[0]).toFail("The output of the mock of workflow charge does not match the output schema");
    expect(run.children.map(({ status, attempt }) => [status, attempt])).toEqual([["failed", 1]]);
    const sorted = await app.testRun("ticket", { text: "It crashes" }, { mockStep: { sort: () => "bugs" } });
    expect(sorted).toFail("ChildRunError");
    expect(sorted.children[0]).toFail("The output of the mock of agent support does not match");
  });

  it("fail a child run permanently, which its parent gets as a ChildRunError", async () => {
    const app = await open();
    const error = new RangeError("The card was declined.");
    const failAt = { step: "charge", times: Infinity, error };
    const run = await app.testRun("limited", { timeout: "3d" }, { failAt });
    expect(run).toComplete({ status: "failed", error: { name: "RangeError", message: "The card was declined." } });
    expect(run.children[0]?.attempt).toBe(2);
    const thrown = await app.testRun(
      "limited",
      { timeout: "3d" },
      { mockStep: { charge: () => Promise.reject(error) } },
    );
    expect(thrown).toComplete(run.output);
  });

  it("fail the first attempt of a child run, whose second one succeeds", async () => {
    const app = await open();
    const run = await app.testRun("limited", { timeout: "3d" }, { failAt: "charge" });
    expect(run).toComplete("7 EUR");
    expect(run.children.map(({ attempt }) => attempt)).toEqual([2]);
  });

  it("apply to the steps of child runs as well", async () => {
    const app = await open();
    const run = await app.testRun("limited", { timeout: "3d" }, { mockStep: { pay: "1 kr" }, failAt: "pay" });
    expect(run).toComplete("1 kr");
    expect(run.children[0]?.steps[0]).toMatchObject({ name: "pay", tries: 2, result: "1 kr" });
    await expect(app.testRun("limited", { timeout: "3d" }, { failAt: "charg" })).rejects.toThrow(
      'called no step "charg". It called "charge", "pay", "settle".',
    );
  });

  it("end the worker after a child run, and after every step of all runs", async () => {
    const app = await open();
    expect(await app.testRun("limited", { timeout: "3d" }, { crashAfter: "charge" })).toComplete("7 EUR");
    const run = await app.settle(await app.deliver("orders", order), { ...sent, replayEveryStep: true });
    expect(run).toComplete({ receipts: [receiptOf(5), receiptOf(7)], started: run.children[2]?.id });
    expect(run.children).toHaveLength(3);
  });

  it("find code that calls another child run after a replay", async () => {
    const app = await open();
    await expect(app.testRun("unstable", {}, { replayEveryStep: true })).rejects.toThrow(
      'The code of workflow unstable is not deterministic. After a replay, it did not call "charge 1" again',
    );
  });
});
