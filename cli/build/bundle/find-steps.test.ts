import { expect, test } from "vitest";
import { buildProject } from "../build-project.ts";
import { makeProject, smallProject } from "../testing/make-project.ts";

async function stepsOf(files: Record<string, string>) {
  const result = await buildProject({ projectDir: makeProject({ ...smallProject, ...files }) });
  if (!result.ok) throw new Error(JSON.stringify(result.diagnostics));
  return result.manifest.workflows
    .find(({ slug }) => slug === "receipt")
    ?.steps.map(({ kind, name }) => `${kind} ${name}`);
}

const workflow = (run: string, imports = "") => ({
  "workflows/receipt.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    ${imports}
    export default defineWorkflow({ slug: "receipt", input: z.object({ order: z.string() }), run: ${run} });`,
});

test("a workflow has the names of its steps and sleeps, without those that the code computes", async () => {
  const run = `async ({ order }, ctx) => {
    const { step } = ctx;
    await ctx.step('charge', async () => 1);
    await step("mail", () => 2);
    await ctx.step(\`the "third"\`, { retries: 3 }, () => 3);
    await ctx.step(\`item \${order}\`, () => 4);
    await ctx.step(order, () => 5);
    await ctx.sleep("settle", "1d");
    await ctx.sleepUntil("midnight", new Date());
  }`;
  expect(await stepsOf(workflow(run))).toEqual([
    "sleep midnight",
    "sleep settle",
    "step charge",
    "step mail",
    'step the "third"',
  ]);
});

test("a workflow has the names of the events that it waits for", async () => {
  const run = `async (_input, ctx: any) => {
    await ctx.waitFor("shipped", null, {});
    await ctx.waitForAny("outcome", {});
  }`;
  expect(await stepsOf(workflow(run))).toEqual(["event outcome", "event shipped"]);
});

test("a workflow has the names of the child runs that it calls and starts", async () => {
  const run = `async (_input, ctx: any) => {
    await ctx.call("charge", null, {});
    const { start } = ctx;
    await start("notify", null, {}, { key: "k" });
  }`;
  expect(await stepsOf(workflow(run))).toEqual(["child charge", "child notify"]);
});

test("a workflow has the steps of the files that it imports, and not those of other workflows", async () => {
  const files = {
    ...workflow("(input, ctx) => sendAll(ctx)", 'import { sendAll } from "../lib/all";'),
    "lib/all.ts": 'export const sendAll = async (ctx: any) => { await ctx.step("all", () => 1); };',
    "workflows/other.ts": `
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({ slug: "other", input: z.unknown(), run: (_, ctx) => ctx.step("other", () => 1) });`,
  };
  expect(await stepsOf(files)).toEqual(["step all"]);
});
