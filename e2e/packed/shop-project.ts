/**
 * A shop, before and after a change: the second version has fixes of `reserve` and of the transform of `orders`, a new
 * field of `ship`, and accepts numbers as parcels.
 */
export function shopProject(version: "one" | "two"): Record<string, string> {
  const isFixed = version === "two";
  const shipment = isFixed
    ? "z.object({ id: z.string(), email: z.email() })"
    : "z.object({ id: z.string(), gate: z.string() })";
  return {
    "package.json": `{ "name": "shop", "private": true, "type": "module" }`,
    "signalbox.config.ts": `
      import { defineConfig } from "signalbox/config";
      export default defineConfig({ workers: 1, alerts: { mismatches: false } });`,

    // Fails at the first item in lower case.
    "workflows/reserve.ts": `
      import { appendFileSync } from "node:fs";
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "reserve",
        input: z.object({ items: z.array(z.string()) }),
        retries: { attempts: 1 },
        async run({ items }, ctx) {
          for (const item of items)
            await ctx.step("reserve " + item, ({ idempotencyKey }) => {
              const sku = item${isFixed ? ".toUpperCase()" : ""};
              if (sku !== sku.toUpperCase()) throw new Error("The warehouse rejected " + sku);
              appendFileSync("reserved.log", idempotencyKey + "\\n");
            });
        },
        onFailure(run) {
          appendFileSync("failures.log", run.id + " " + run.error.message + "\\n");
        },
      });`,
    "triggers/orders.ts": trigger(
      "orders",
      "z.object({ items: z.array(z.string()) })",
      "reserve",
      isFixed
        ? ""
        : `({ items }) => { if (items[0] === "none") throw new Error("There is no such item"); return { items }; }`,
    ),

    // Sleeps until a file is there.
    "workflows/ship.ts": `
      import { appendFileSync, existsSync } from "node:fs";
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "ship",
        input: ${shipment},
        async run(input, ctx) {
          await ctx.step("pack", () => appendFileSync("shipped.log", "pack " + input.id + "\\n"));
          ${isFixed ? "" : `do await ctx.sleep("a while", "1s"); while (!(await ctx.step("look", () => existsSync(input.gate))));`}
          await ctx.step("${isFixed ? "hand over" : "send"}", () => appendFileSync("shipped.log", "send " + input.id + "\\n"));
          return { version: "${version}" };
        },
      });`,
    "triggers/shipments.ts": trigger("shipments", shipment, "ship"),

    // The same, but its open runs follow the latest build.
    "workflows/poll.ts": `
      import { existsSync } from "node:fs";
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "poll",
        versions: "latest",
        input: z.object({ gate: z.string() }),
        async run({ gate }, ctx) {
          do await ctx.sleep("a while", "1s"); while (!(await ctx.step("look", () => existsSync(gate))));
          return { version: "${version}" };
        },
      });`,
    "triggers/polls.ts": trigger("polls", "z.object({ gate: z.string() })", "poll"),

    // The first try of each order is rejected, one without an amount permanently. A refund returns what cannot be stored.
    "workflows/charge.ts": `
      import { appendFileSync, readFileSync } from "node:fs";
      import { defineWorkflow, NonRetryableError, RetryAfterError } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "charge",
        input: z.object({ order: z.string(), cents: z.int() }),
        output: z.object({ at: z.string() }),
        retries: { attempts: 3, initialDelay: "10ms" },
        async run({ order, cents }, ctx) {
          const receipt = await ctx.step("charge", { retries: 2, backoff: "fixed", initialDelay: "10ms", timeout: "30s" }, () => {
            appendFileSync("charged.log", order + "\\n");
            if (cents === 0) throw new NonRetryableError("There is nothing to charge");
            const tries = readFileSync("charged.log", "utf8").split("\\n").filter((line) => line === order).length;
            if (tries === 1) throw new RetryAfterError("The bank answered 429", "1");
            return { at: new Date(0), cents };
          });
          const at: string = receipt.at;
          if (cents < 0) await ctx.step("refund", () => ({ cents: BigInt(cents) as unknown as number }));
          return { at };
        },
      });`,
    "triggers/charges.ts": trigger("charges", "z.object({ order: z.string(), cents: z.int() })", "charge"),

    "workflows/keep.ts": `
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({ slug: "keep", input: z.json(), run: () => undefined });`,
    "triggers/issues.ts": trigger("issues", "z.object({ issue: z.object({ type: z.string() }) })", "keep"),
    "triggers/parcels.ts": `
      import { defineEndpoint } from "signalbox/trigger";
      import { z } from "zod";
      import keep from "../workflows/keep";
      export default defineEndpoint({ endpoint: "parcels", onMismatch: "hold" })
        .source({ slug: "parcels", request: z.object({ parcel: ${isFixed ? "z.union([z.string(), z.int()])" : "z.string()"} }) })
        .attach({ workflow: keep });`,
  };
}

/** A trigger on the endpoint of its name. */
function trigger(name: string, request: string, workflow: string, transform = ""): string {
  return `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import ${workflow} from "../workflows/${workflow}";
    export default defineWebhookSource({ slug: "${name}", endpoint: "${name}", request: ${request} })
      .attach({ workflow: ${workflow}${transform && `, transform: ${transform}`} });`;
}
