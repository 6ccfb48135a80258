import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
import report from "./report";

const countDown = defineWorkflow({
  slug: "count-down",
  input: z.object({ left: z.int() }),
  async run({ left }, ctx): Promise<string> {
    if (left > 9) return await ctx.call("less", countDown, { left: 9 });
    const { id } = await ctx.start("log", report, { left: 0 });
    return (await ctx.call("report", report, { left })) + id;
  },
});
export default countDown;
