/** A shop: its triggers and workflows, for tasks of an agent. `strict` rejects orders without an amount of 10 or more. */
export function shopFiles(): Record<string, string> {
  return {
    "triggers/order-paid.ts": orderPaid(1),
    "triggers/large-order.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import askManager from "../workflows/ask-manager";
      export default defineWebhookSource({
        slug: "large-order",
        endpoint: "orders",
        request: z.object({ type: z.literal("order.paid"), number: z.string(), amount: z.number() }),
        filter: z.object({ amount: z.number().min(1000) }),
      }).attach({ workflow: askManager, transform: ({ number }) => ({ number }) });
    `,
    "triggers/parcel-sent.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import askManager from "../workflows/ask-manager";
      export default defineWebhookSource({
        slug: "parcel-sent",
        endpoint: "parcels",
        headers: z.object({ "x-carrier": z.literal("pigeon") }),
        request: z.object({ number: z.string() }),
      }).attach({ workflow: askManager });
    `,
    "triggers/new-patient.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import askManager from "../workflows/ask-manager";
      export default defineWebhookSource({
        slug: "new-patient",
        endpoint: "patients",
        request: z.object({ number: z.string(), email: z.email().meta({ sensitive: true }) }),
      }).attach({ workflow: askManager, transform: ({ number }) => ({ number }) });
    `,
    "triggers/answer-given.ts": `
      import { defineWebhookSource } from "signalbox/trigger";
      import { z } from "zod";
      import keepAnswer from "../workflows/keep-answer";
      export default defineWebhookSource({
        slug: "answer-given",
        endpoint: "answers",
        request: z.object({ task: z.string(), answer: z.string() }),
      }).attach({ workflow: keepAnswer });
    `,
    "workflows/pack-order.ts": `
      import { existsSync } from "node:fs";
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "pack-order",
        input: z.object({ number: z.string(), amount: z.number() }),
        retries: { attempts: 1 },
        async run({ number }, ctx) {
          const shelf = await ctx.step("find shelf", () => "shelf-" + number.length);
          await ctx.step("reserve", () => {
            if (number.startsWith("GLASS") && !existsSync("glass-is-in-stock")) throw new Error("Out of stock: glass");
          });
          return { parcel: "parcel-of-" + number, shelf };
        },
      });
    `,
    "workflows/ask-manager.ts": `
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "ask-manager",
        input: z.object({ number: z.string() }),
        run: ({ number }, ctx) => ctx.log.info("Asking", { number }),
      });
    `,
    "workflows/keep-answer.ts": `
      import { defineWorkflow } from "signalbox/workflow";
      import { z } from "zod";
      export default defineWorkflow({
        slug: "keep-answer",
        input: z.object({ task: z.string(), answer: z.string() }),
        run: (answer) => answer,
      });
    `,
  };
}

/** The trigger of paid orders. Other builds have another minimum. */
export function orderPaid(minAmount: number): string {
  return `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import packOrder from "../workflows/pack-order";
    export default defineWebhookSource({
      slug: "order-paid",
      endpoint: "orders",
      request: z.object({ type: z.literal("order.paid"), number: z.string(), amount: z.number().min(${minAmount}) }),
    }).attach({ workflow: packOrder, transform: ({ number, amount }) => ({ number, amount }) });
  `;
}
