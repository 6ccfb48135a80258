/**
 * A workflow of two steps. Between them it waits for a given time, or until the file `gate` exists. Each step writes to
 * a file which process executed it, regardless of the store.
 */
export const notingProject = (version: string): Record<string, string> => ({
  "workflows/note.ts": `
    import { appendFileSync, existsSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "note",
      input: z.object({ n: z.number(), ms: z.number(), log: z.string(), gate: z.string().optional() }),
      output: z.object({ version: z.string() }),
      async run({ n, ms, log, gate }, ctx) {
        const mark = (step: string) => appendFileSync(log, n + " " + step + " " + process.ppid + "\\n");
        await ctx.step("first", () => mark("first"));
        const pause = (time) => new Promise((resolve, reject) => {
          const timer = setTimeout(resolve, time);
          ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
        });
        await pause(ms);
        while (gate && !existsSync(gate)) await pause(50);
        await ctx.step("second", () => mark("second"));
        return { version: ${JSON.stringify(version)} };
      },
    });`,
  "workflows/one-at-a-time.ts": `
    import { appendFileSync } from "node:fs";
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    export default defineWorkflow({
      slug: "one-at-a-time",
      input: z.object({ n: z.number(), log: z.string() }),
      concurrency: 1,
      async run({ n, log }) {
        appendFileSync(log, n + " begin\\n");
        await new Promise((resolve) => setTimeout(resolve, 100));
        appendFileSync(log, n + " end\\n");
      },
    });`,
  "triggers/notes.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import note from "../workflows/note";
    export default defineWebhookSource({ slug: "notes", endpoint: "notes", request: z.object({ n: z.number(), ms: z.number(), log: z.string(), gate: z.string().optional() }) }).attach({ workflow: note });`,
  "triggers/singles.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import single from "../workflows/one-at-a-time";
    export default defineWebhookSource({ slug: "singles", endpoint: "singles", request: z.object({ n: z.number(), log: z.string() }) }).attach({ workflow: single });`,
  "triggers/seldom.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import note from "../workflows/note";
    export default defineWebhookSource({ slug: "seldom", endpoint: "seldom", rateLimit: { requests: 5, per: "hour" }, request: z.object({ n: z.number(), ms: z.number(), log: z.string() }) }).attach({ workflow: note });`,
});
