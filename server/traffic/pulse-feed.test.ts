import { expect, it } from "vitest";
import { deliver, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { createPulseFeed } from "./pulse-feed.ts";

type Service = Awaited<ReturnType<typeof openTestService>>;

async function openFeed(service: Service) {
  await deliver(service, { endpoint: "billing", body: paidBody });
  const feed = createPulseFeed(service);
  expect(await feed.look(() => true)).toBeNull();
  return { look: async () => (await feed.look(() => true))?.data ?? null, feed };
}

async function send(service: Service, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at++) ids.push((await deliver(service, { endpoint: "signup", body: "{}" })).deliveryId);
  return ids;
}

it("a burst shows its newest 50, oldest first, and counts the others", async () => {
  const service = await openTestService();
  const { look } = await openFeed(service);
  const burst = await send(service, 230);
  const shown = await look();
  expect(shown?.deliveries.map(({ id }) => id)).toEqual(burst.slice(-50));
  expect(shown?.missed).toBe(180);
});

it("no delivery comes twice, and none that was there before", async () => {
  const service = await openTestService();
  const { look, feed } = await openFeed(service);
  const seen: string[][] = [];
  const sent: string[][] = [];
  for (const count of [1, 3, 120, 2]) {
    sent.push((await send(service, count)).slice(-50));
    expect(await feed.look((change) => change !== "deliveries")).toBeNull();
    seen.push((await look())?.deliveries.map(({ id }) => id) ?? []);
  }
  expect(seen).toEqual(sent);
  expect(await look()).toBeNull();
});
