/**
 * A workflow that sleeps for `nap` repeatedly, until the file `gate` exists. Before and after, a step writes to
 * the file `log`. The two versions differ in everything that an open run depends on: input, names of steps, and output.
 */
export function nappingProject(version: "one" | "two"): Record<string, string> {
  const input =
    version === "one"
      ? "z.object({ n: z.number(), log: z.string(), gate: z.string(), nap: z.string() })"
      : "z.object({ n: z.number(), log: z.string(), gate: z.string(), nap: z.string(), email: z.email() })";
  const [first, second] = version === "one" ? ["charge", "receipt"] : ["pay", "mail"];
  return {
    "workflows/nap.ts": `
      import { appendFileSync, existsSync } from "node:fs";
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "nap",
        input: ${input},
        async run({ n, log, gate, nap }, ctx) {
          await ctx.step("${first}", () => appendFileSync(log, n + " ${first}\\n"));
          do await ctx.sleep("nap", nap); while (!(await ctx.step("look", () => existsSync(gate))));
          await ctx.step("${second}", () => appendFileSync(log, n + " ${second}\\n"));
          return { version: "${version}" };
        },
      });`,
    "triggers/naps.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import nap from "../workflows/nap";
      import { z } from "zod";
      export default defineWebhookSource({ slug: "naps", endpoint: "naps", request: ${input} }).attach({ workflow: nap });`,
  };
}
