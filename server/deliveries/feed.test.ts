import { expect, it, onTestFinished, vi } from "vitest";
import type { FeedStore } from "../ports/store/feed-store.ts";
import { followFeed } from "./feed.ts";

it.each([
  ["that the reader has read", 10, true],
  ["among many that it has not read yet", 1_000, false],
])("deliveries to other endpoints %s end no silence: the reader gets its position", async (_, rows, isAtEnd) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let changed: (() => void) | null = null;
  let number = 0;
  const readFeed: FeedStore["readFeed"] = async () => {
    // Each read takes a second, and another delivery is recorded in the meantime.
    await vi.advanceTimersByTimeAsync(1_000);
    changed?.();
    number += rows;
    return { entries: [], end: { number, deliveryId: "dlv_1" }, isAtEnd };
  };
  const stopping = new AbortController();
  const events = followFeed(
    {
      store: {
        readFeed,
        findFeedStart: () => Promise.reject(new Error("not called")),
        hasFeedPosition: () => Promise.reject(new Error("not called")),
        watch: (listener) => {
          changed = () => listener();
          return () => {};
        },
      },
      clock: { now: () => 5_000, after: () => () => {} },
    },
    {
      from: { number: 0, deliveryId: null, since: 1_000 },
      endpoints: ["rare"],
      isPermitted: async () => true,
      signal: stopping.signal,
    },
  );
  expect((await events.next()).value).toEqual({ type: "position", cursor: "0..1000" });
  const since = isAtEnd ? 5_000 : 1_000;
  for (const seconds of [10, 20])
    expect((await events.next()).value).toEqual({ type: "position", cursor: `${rows * seconds}.dlv_1.${since}` });
  stopping.abort();
});
