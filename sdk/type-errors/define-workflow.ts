import { z } from "zod";
import { defineWorkflow } from "signalbox/workflow";

export const wrongOutput = defineWorkflow({
  slug: "wrong-output",
  input: z.object({ to: z.string() }),
  output: z.object({ messageId: z.string() }),
  run: () => ({ messageId: 7 }), // error: Type 'number' is not assignable to type 'string'
});

export const wrongOutputLater = defineWorkflow({
  slug: "wrong-output-later",
  input: z.object({ to: z.string() }),
  output: z.object({ messageId: z.string() }),
  async run(input, ctx) { // error: Type 'number' is not assignable to type 'string'
    const messageId = await ctx.step("count", () => input.to.length);
    return { messageId };
  },
});

export const unknownInput = defineWorkflow({
  slug: "unknown-input",
  input: z.object({ to: z.string() }),
  run(input) {
    return input.from; // error: Property 'from' does not exist on type
  },
});

export const wrongTimeout = defineWorkflow({
  slug: "wrong-timeout",
  input: z.null(),
  timeout: "5 minutes", // error: is not assignable to type 'Duration
  run() {},
});
