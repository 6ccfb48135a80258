import { readFileSync } from "node:fs";
import { join } from "node:path";
import { testProject } from "signalbox/testing";
import "signalbox/testing/vitest";
import { expect, it, onTestFinished } from "vitest";
import { makeProject } from "../cli/build/testing/make-project.ts";
import { shopifyOrder } from "../sdk/testing/shopify-order.ts";

const repository = join(import.meta.dirname, "..");
const textOf = (path: string) => readFileSync(join(repository, path), "utf8");

/** The project in the README, with the file of new projects that it imports. */
async function openReadme() {
  const code = [...textOf("README.md").matchAll(/```ts\n\/\/ (\S+)\n([^]*?)```/g)];
  const projectDir = makeProject({
    ...Object.fromEntries(code.map(([, path = "", text = ""]) => [path, text])),
    "lib/outbox.ts": textOf("examples/starter/lib/outbox.ts"),
  });
  const app = await testProject({ projectDir });
  onTestFinished(() => app.close());
  return app;
}

const endpoint = "shopify/orders-paid";
const headers = {
  "content-type": "application/json",
  "x-shopify-topic": "orders/paid",
  "x-shopify-shop-domain": "shop.myshopify.com",
  "x-shopify-api-version": "2026-07",
  "x-shopify-webhook-id": "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
  "x-shopify-triggered-at": "2026-07-01T12:00:00.000000000Z",
  "x-shopify-test": "true",
};

it("the README's trigger accepts Shopify's own test notification, and its run writes the mail five days later", async () => {
  const app = await openReadme();
  const delivery = await app.deliver(endpoint, shopifyOrder, { headers, sign: true });
  expect(delivery).toFire("order-paid");
  const sent: string[] = [];
  const run = await app.settle(delivery, { mockStep: { send: () => void sent.push("sent") } });
  expect(run).toComplete();
  expect(run.input).toEqual({ order: 1234, to: "jon@example.com" });
  expect(sent).toEqual(["sent"]);
});

it.each([["null"], ['""']])(
  "an order whose email is %s is skipped: Shopify gets 200, and no run starts",
  async (email) => {
    const app = await openReadme();
    const body = shopifyOrder.replace('"email": "jon@example.com"', `"email": ${email}`);
    const delivery = await app.deliver(endpoint, body, { headers, sign: true });
    expect(delivery).toMatchObject({ status: 200, outcome: "skipped", runs: [] });
    expect(delivery).toSkip("order-paid", "/email");
  },
);

it("an order without a signature is rejected", async () => {
  const app = await openReadme();
  expect(await app.deliver(endpoint, shopifyOrder, { headers, sign: false })).toMatchObject({ status: 401 });
});
