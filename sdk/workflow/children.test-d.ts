import { z } from "zod";
import { defineAgent } from "../agent/index.ts";
import { type Equal, expectTrue } from "../testing/exact-type.ts";
import { defineWorkflow, type WorkflowContext } from "./index.ts";

const chargeCard = defineWorkflow({
  slug: "charge-card",
  input: z.object({ amount: z.number(), currency: z.string().default("EUR") }),
  output: z.object({ receipt: z.string(), at: z.date() }),
  run: () => ({ receipt: "r", at: new Date() }),
});
const untyped = defineWorkflow({ slug: "untyped", input: z.object({}), run: (): { sum: number } => ({ sum: 7 }) });
const triage = defineAgent({
  slug: "triage",
  model: { specificationVersion: "v3", provider: "p", modelId: "m", doStream: async () => ({}) },
  instructions: "Sort.",
  output: z.object({ queue: z.enum(["billing", "bugs"]) }),
});
const countDown = defineWorkflow({
  slug: "count-down",
  input: z.object({ left: z.int() }),
  // A workflow that calls itself needs the return type.
  async run({ left }, ctx): Promise<string[]> {
    if (left === 0) return [];
    const rest = await ctx.call("rest", countDown, { left: left - 1 });
    expectTrue<Equal<typeof rest, string[]>>();
    return [...rest, `${left}`];
  },
});

export async function calls(ctx: WorkflowContext) {
  const receipt = await ctx.call("charge", chargeCard, { amount: 7 }, { key: "customer 7", timeout: "1h" });
  expectTrue<Equal<typeof receipt, { receipt: string; at: string }>>();
  const sum = await ctx.call("sum", untyped, {}, { onParentEnd: "continue" });
  expectTrue<Equal<typeof sum, { sum: number }>>();
  const { queue } = await ctx.call("sort", triage, { prompt: "A mail" });
  expectTrue<Equal<typeof queue, "billing" | "bugs">>();
  const { id } = await ctx.start("notify", chargeCard, { amount: 1, currency: "USD" }, { key: "k" });
  expectTrue<Equal<typeof id, string>>();

  // @ts-expect-error a number
  await ctx.call("charge", chargeCard, { amount: "7" });
  // @ts-expect-error the input is missing
  await ctx.call("charge", chargeCard);
  // @ts-expect-error an agent has a prompt
  await ctx.call("sort", triage, { text: "A mail" });
  // @ts-expect-error weeks are no unit
  await ctx.call("charge", chargeCard, { amount: 7 }, { timeout: "2w" });
  // @ts-expect-error a started run is not waited for
  await ctx.start("charge", chargeCard, { amount: 7 }, { timeout: "1h" });
  // @ts-expect-error not an option
  await ctx.call("charge", chargeCard, { amount: 7 }, { onParentEnd: "stop" });
  // @ts-expect-error a schema is no target
  await ctx.call("charge", z.object({}), { amount: 7 });
}
