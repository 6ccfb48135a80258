import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import countDown from "./count-down";

// The two files import each other.
export default defineWorkflow({
  slug: "report",
  input: z.object({ left: z.int() }),
  async run({ left }, ctx) {
    await ctx.step("print", () => left);
    return left === 0 ? "done" : await ctx.call(`from ${left}`, countDown, { left: left - 1 });
  },
});
