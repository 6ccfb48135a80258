import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { packageRoot } from "../../server/paths.ts";

const order = `z.object({ order: z.string(), paid: z.boolean(), total: z.number(), lines: z.array(z.object({ sku: z.string(), quantity: z.number() })) })`;

const trigger = (slug: string, endpoint: string, workflow: string, filter = "") => `
  import { defineWebhookSource } from "signalbox/trigger";
  import { z } from "zod";
  import workflow from "../workflows/${workflow}";
  export default defineWebhookSource({ slug: "${slug}", endpoint: "${endpoint}", request: ${order},${filter ? ` filter: ${filter},` : ""} }).attach({ workflow });`;

const workflow = (slug: string, body: string) => `
  import { defineWorkflow } from "signalbox/workflow";
  import { z } from "zod";
  export default defineWorkflow({ slug: "${slug}", input: ${order}, retries: { attempts: 3, backoff: "fixed", initialDelay: "1s" }, async run(input, ctx) { ${body} } });`;

/** A small version of real projects: steps, logs, a sleep, an error that the second attempt fixes. */
const files: Record<string, string> = {
  "package.json": `{"name":"soak","private":true,"type":"module"}`,
  "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ workers: 2 });`,
  "workflows/ship.ts": workflow(
    "ship",
    `
    const weight = await ctx.step("weigh", async () => input.lines.length * 2);
    ctx.log.info("weighed", { weight });
    await ctx.step("label", async () => new Promise((resolve) => setTimeout(resolve, 20, input.order)));
    return { weight };`,
  ),
  "workflows/bill.ts": workflow(
    "bill",
    `
    await ctx.step("charge", async () => ({ charged: input.total }));
    await ctx.sleep("grace", "5s");
    if (ctx.run.attempt === 1 && input.total % 20 === 0) throw new Error("The bank did not answer.");
    return { receipt: input.order };`,
  ),
  "triggers/ship-order.ts": trigger("ship-order", "orders", "ship"),
  "triggers/bill-order.ts": trigger("bill-order", "orders", "bill", "z.object({ paid: z.literal(true) })"),
  "triggers/paid-only.ts": trigger("paid-only", "payments", "bill", "z.object({ paid: z.literal(true) })"),
};

export function writeSoakProject(dir: string): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  mkdirSync(join(dir, "node_modules"), { recursive: true });
  symlinkSync(join(packageRoot, "node_modules/zod"), join(dir, "node_modules/zod"));
}

/**
 * The n-th request: of twenty, fifteen match, two are skipped, one is repeated, one is malformed, one comes without a
 * valid key.
 */
export function soakRequest(
  n: number,
  key: string,
): { path: string; headers: Record<string, string>; body: string; expected: number } {
  const of = n % 20;
  const lines = Array.from({ length: 1 + (n % 12) }, (_, at) => ({ sku: `sku-${n}-${at}`, quantity: at + 1 }));
  const order = { order: `order-${n}`, paid: of % 4 === 0, total: n % 100, lines };
  const headers = {
    "content-type": "application/json",
    authorization: `Bearer ${of === 19 ? `${key.slice(0, -1)}!` : key}`,
  };
  if (of === 15 || of === 16)
    return { path: "/triggers/payments", headers, body: JSON.stringify({ ...order, paid: false }), expected: 200 };
  if (of === 17)
    return {
      path: "/triggers/orders",
      headers: { ...headers, "idempotency-key": `twice-${n - (n % 40)}` },
      body: JSON.stringify({ ...order, order: "twice", total: 17, lines: [] }),
      expected: 202,
    };
  if (of === 18) return { path: "/triggers/payments", headers, body: `{"order":${n}}`, expected: 422 };
  return { path: "/triggers/orders", headers, body: JSON.stringify(order), expected: of === 19 ? 401 : 202 };
}
