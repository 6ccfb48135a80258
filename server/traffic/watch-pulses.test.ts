import { expect, it } from "vitest";
import { deliver, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { type Pulses, watchPulses } from "./watch-pulses.ts";

/** Pulses over a store whose news the test tells. `waits` resolves when there is nothing to do but wait for news. */
function watch(service: Awaited<ReturnType<typeof openTestService>>) {
  const leave = new AbortController();
  let news = Promise.withResolvers<void>();
  let waiting = Promise.withResolvers<void>();
  const nextChange = async () => {
    waiting.resolve();
    await news.promise;
    [news, waiting] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  };
  const pulses = watchPulses(service, { nextChange, signal: leave.signal });
  const next = async (): Promise<Pulses | null> => {
    const { done, value } = await pulses.next();
    return done ? null : value;
  };
  return {
    next,
    waits: () => waiting.promise,
    tell: () => news.resolve(),
    leave: () => (leave.abort(), news.resolve()),
  };
}

it("a burst shows its newest 50, oldest first, and counts the others", async () => {
  const service = await openTestService();
  await deliver(service, { endpoint: "billing", body: paidBody });
  const { next, waits, tell } = watch(service);
  const pulses = next();
  await waits();
  const burst: string[] = [];
  for (let at = 0; at < 230; at++) burst.push((await deliver(service, { endpoint: "signup", body: "{}" })).deliveryId);
  tell();
  const shown = await pulses;
  expect(shown?.deliveries.map(({ id }) => id)).toEqual(burst.slice(-50));
  expect(shown?.missed).toBe(180);
});

it("no delivery comes twice, and none that was there before", async () => {
  const service = await openTestService();
  await deliver(service, { endpoint: "billing", body: paidBody });
  const { next, waits, tell, leave } = watch(service);
  const seen: string[][] = [];
  const sent: string[][] = [];
  for (const count of [1, 3, 120, 2]) {
    const pulses = next();
    await waits();
    const ids: string[] = [];
    for (let at = 0; at < count; at++)
      ids.push((await deliver(service, { endpoint: "signup", body: "{}" })).deliveryId);
    sent.push(ids.slice(-50));
    tell();
    seen.push((await pulses)?.deliveries.map(({ id }) => id) ?? []);
  }
  expect(seen).toEqual(sent);
  const last = next();
  leave();
  expect(await last).toBeNull();
});
