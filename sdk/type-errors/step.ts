import { z } from "zod";
import { defineWorkflow } from "signalbox/workflow";

export const dateOfStep = defineWorkflow({
  slug: "date-of-step",
  input: z.null(),
  async run(_input, ctx) {
    const order = await ctx.step("load", () => ({ at: new Date() }));
    return order.at.getTime(); // error: Property 'getTime' does not exist on type 'string'
  },
});

export const mapOfStep = defineWorkflow({
  slug: "map-of-step",
  input: z.null(),
  async run(_input, ctx) {
    const prices = await ctx.step("load", () => new Map([["a", 1]]));
    return prices.get("a"); // error: CompileError<"A Map is stored as {}: return Object.fromEntries(map)">
  },
});

export const responseOfStep = defineWorkflow({
  slug: "response-of-step",
  input: z.null(),
  async run(_input, ctx) {
    const response = await ctx.step("load", () => fetch("https://shop.example.com"));
    return response.status; // error: such as await response.json()">
  },
});

export const bigintOfStep = defineWorkflow({
  slug: "bigint-of-step",
  input: z.null(),
  output: z.string(),
  async run(_input, ctx) { // error: is not assignable to type 'string'
    return await ctx.step("count", () => 10n);
  },
});

export const attemptsOfStep = defineWorkflow({
  slug: "attempts-of-step",
  input: z.null(),
  run: (_input, ctx) =>
    ctx.step(
      "load",
      { retries: { attempts: 3 } }, // error: Type '{ attempts: number; }' is not assignable to type 'number'
      () => 1,
    ),
});
