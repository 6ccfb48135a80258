import { z } from "zod";
import { defineWebhookSource } from "signalbox/trigger";
import { github } from "signalbox/sources/github";
import { defineWorkflow, type EventMatch, type WorkflowContext } from "signalbox/workflow";
import { type Equal, expectTrue } from "../testing/exact-type.ts";

// `waitFor` returns the payload of its source, or null. Paths and the types of their values are checked.

const shipped = defineWebhookSource({
  slug: "order-shipped",
  endpoint: "shipping",
  request: z.object({
    order: z.object({ id: z.string(), total: z.number().nullable() }),
    "odd/name": z.boolean().optional(),
    parcels: z.array(z.object({ code: z.string() })),
    kind: z.enum(["express", "normal"]),
  }),
});
const canceled = defineWebhookSource({
  slug: "order-canceled",
  endpoint: "cancellations",
  request: z.object({ order: z.string(), reason: z.string() }),
});
const ship = defineWorkflow({ slug: "ship", input: z.object({ id: z.string() }), run: () => null });
const trigger = canceled.attach({ workflow: ship, transform: ({ order }) => ({ id: order }) });
const issues = github.on("issues.opened", {
  slug: "issues",
  endpoint: "github",
  pick: ["issue.number", "issue.title", "repository.full_name"],
});

type Shipped = {
  order: { id: string; total: number | null };
  "odd/name"?: boolean | undefined;
  parcels: { code: string }[];
  kind: "express" | "normal";
};

export async function waits(ctx: WorkflowContext) {
  const event = await ctx.waitFor("shipped", shipped, {
    match: { "/order/id": "A1", "/order/total": 7, "/odd~1name": true, "/parcels/0/code": "p", "/kind": "express" },
    timeout: "14d",
    since: new Date(),
  });
  expectTrue<Equal<typeof event, Shipped | null>>();
  const any = await ctx.waitFor("shipped", shipped);
  expectTrue<Equal<typeof any, Shipped | null>>();
  const ofTrigger = await ctx.waitFor("canceled", trigger, { match: { "/order": "A1" } });
  expectTrue<Equal<typeof ofTrigger, { order: string; reason: string } | null>>();
  const opened = await ctx.waitFor("opened", issues, { match: { "/issue/number": 7, "/repository/full_name": "a/b" } });
  const title: string | undefined = opened?.issue.title;
  void title;

  // @ts-expect-error no such path
  await ctx.waitFor("shipped", shipped, { match: { "/order/identity": "A1" } });
  // @ts-expect-error a JSON Pointer, not names joined by dots
  await ctx.waitFor("shipped", shipped, { match: { "order.id": "A1" } });
  // @ts-expect-error a string
  await ctx.waitFor("shipped", shipped, { match: { "/order/id": 1 } });
  // @ts-expect-error not one of its values
  await ctx.waitFor("shipped", shipped, { match: { "/kind": "slow" } });
  // @ts-expect-error an object is not compared
  await ctx.waitFor("shipped", shipped, { match: { "/order": { id: "A1" } } });
  // @ts-expect-error weeks are no unit
  await ctx.waitFor("shipped", shipped, { timeout: "2w" });
  // @ts-expect-error a workflow is no source
  await ctx.waitFor("shipped", ship);
}

export async function waitsForAny(ctx: WorkflowContext) {
  const outcome = await ctx.waitForAny(
    "outcome",
    {
      shipped: { source: shipped, match: { "/order/id": "A1" } },
      canceled: { source: trigger, match: { "/order": "A1" } },
    },
    { timeout: "14d" },
  );
  if (outcome?.name === "shipped") expectTrue<Equal<typeof outcome.event, Shipped>>();
  else if (outcome?.name === "canceled") expectTrue<Equal<typeof outcome.event.reason, string>>();
  else expectTrue<Equal<typeof outcome, null>>();

  await ctx.waitForAny("outcome", {
    // @ts-expect-error a path of another source
    canceled: { source: canceled, match: { "/order/id": "A1" } },
  });
}

expectTrue<Equal<EventMatch<unknown>, { readonly [path: string]: string | number | boolean }>>();
expectTrue<
  Equal<EventMatch<{ a: string; b: { c: boolean } }>, { readonly "/a"?: string; readonly "/b/c"?: boolean }>
>();
