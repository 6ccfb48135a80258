import { afterAll, describe, expect, it, onTestFinished } from "vitest";
import { testProject } from "signalbox/testing";
import "signalbox/testing/vitest";
import { makeProjectUntil } from "../cli/build/testing/make-project.ts";

const projectDir = makeProjectUntil(afterAll, {
  "triggers/order-placed.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";
    import fulfil from "../workflows/fulfil";

    export default defineWebhookSource({
      slug: "order-placed",
      endpoint: "orders",
      request: z.object({ id: z.string(), isSlow: z.boolean().default(false) }),
    }).attach({ workflow: fulfil });
  `,
  "triggers/order-shipped.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";

    export default defineWebhookSource({
      slug: "order-shipped",
      endpoint: "shipping",
      request: z.object({ order: z.object({ id: z.string() }), parcels: z.array(z.string()).default([]) }),
    });
  `,
  "triggers/order-canceled.ts": `
    import { defineWebhookSource } from "signalbox/trigger";
    import { z } from "zod";

    export default defineWebhookSource({
      slug: "order-canceled",
      endpoint: "cancellations",
      request: z.object({ order: z.string(), reason: z.string() }),
    });
  `,
  "workflows/fulfil.ts": `
    import { defineWorkflow } from "signalbox/workflow";
    import { z } from "zod";
    import canceled from "../triggers/order-canceled";
    import shipped from "../triggers/order-shipped";

    export default defineWorkflow({
      slug: "fulfil",
      input: z.object({ id: z.string(), isSlow: z.boolean() }),
      async run({ id, isSlow }, ctx) {
        await ctx.step("reserve", () => id);
        if (isSlow) await ctx.sleep("pack", "2d");
        const outcome = await ctx.waitForAny(
          "outcome",
          {
            shipped: { source: shipped, match: { "/order/id": id } },
            canceled: { source: canceled, match: { "/order": id } },
          },
          { timeout: "14d" },
        );
        if (outcome === null) return "lost";
        if (outcome.name === "canceled") return outcome.event.reason;
        return await ctx.step("thank", () => outcome.event.parcels.join(", "));
      },
    });
  `,
});

async function open() {
  const app = await testProject({ projectDir, now: "2026-01-01T00:00:00Z", timeout: "1m" });
  onTestFinished(() => app.close());
  return app;
}
const shippingOf = (id: string) => ({ order: { id }, parcels: [`parcel of ${id}`] });

describe("a run that waits for an event", () => {
  it("stays in waiting until a delivery matches, which then settles it", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", { id: "A1" }));
    expect(run).toMatchObject({ status: "waiting" });
    const other = await app.deliver("shipping", shippingOf("B2"));
    expect(other).toMatchObject({ status: 200, outcome: "skipped", runs: [], woke: [] });
    const shipped = await app.deliver("shipping", shippingOf("A1"));
    expect(shipped).toMatchObject({
      status: 202,
      response: { ok: true, runId: run.id, runs: [], woke: [{ runId: run.id }] },
      outcome: "accepted",
      runs: [],
      woke: [{ id: run.id, source: "order-shipped" }],
    });
    const ended = await app.settle(shipped);
    expect(ended).toComplete("parcel of A1");
    expect(ended.steps.map(({ kind, name, result }) => ({ kind, name, result }))).toEqual([
      { kind: "step", name: "reserve", result: "A1" },
      {
        kind: "event",
        name: "outcome",
        result: { name: "shipped", source: "order-shipped", deliveryId: shipped.id, payload: shippingOf("A1") },
      },
      { kind: "step", name: "thank", result: "parcel of A1" },
    ]);
  });

  it("has an event that came before it waited", async () => {
    const app = await open();
    const placed = await app.deliver("orders", { id: "A1", isSlow: true });
    expect(await app.deliver("shipping", shippingOf("A1"))).toMatchObject({ outcome: "skipped" });
    await app.deliver("shipping", { ...shippingOf("A1"), parcels: ["a second one"] });
    expect(await app.settle(placed)).toComplete("parcel of A1");
  });

  it("has no event that came before its run was accepted", async () => {
    const app = await open();
    await app.deliver("shipping", shippingOf("A1"));
    await app.clock.advance("1m");
    const run = await app.settle(await app.deliver("orders", { id: "A1" }));
    expect(run.status).toBe("waiting");
  });

  it("has the first of several events, and the others wake nothing", async () => {
    const app = await open();
    await app.settle(await app.deliver("orders", { id: "A1" }));
    const canceled = await app.deliver("cancellations", { order: "A1", reason: "too late" });
    expect(await app.deliver("shipping", shippingOf("A1"))).toMatchObject({ outcome: "skipped", woke: [] });
    expect(await app.settle(canceled)).toComplete("too late");
  });

  it("continues without one at the timeout, which the clock passes", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", { id: "A1" }));
    await app.clock.advance("14d");
    expect(await app.settle(run)).toComplete("lost");
  });

  it("calls the same steps in every execution", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", { id: "A1", isSlow: true }), { replayEveryStep: true });
    await app.deliver("shipping", shippingOf("A1"));
    expect(await app.settle(run)).toComplete("parcel of A1");
  });

  it("gets the event of a repeated delivery once", async () => {
    const app = await open();
    const run = await app.settle(await app.deliver("orders", { id: "A1" }));
    const headers = { "idempotency-key": "evt-1" };
    const first = await app.deliver("shipping", shippingOf("A1"), { headers });
    const again = await app.deliver("shipping", shippingOf("A1"), { headers });
    expect(again).toMatchObject({ outcome: "repeated", status: 202, response: first.response });
    expect(await app.settle(run)).toComplete("parcel of A1");
  });
});
