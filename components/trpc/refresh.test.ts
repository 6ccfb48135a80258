import { dehydrate, hydrate, QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { createPace, createRefresh } from "./refresh.ts";

const start = (answers: boolean[] = []) => {
  const action = vi.fn<() => boolean>(() => answers.shift() ?? false);
  return { action, pace: createPace({ action, everyMs: 1_000 }) };
};

describe("the pace of refetching", () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it("is at once for the first change, and once a second for many changes", () => {
    const { action, pace } = start();
    pace.poke();
    expect(action).toHaveBeenCalledTimes(1);
    for (let step = 0; step < 100; step++) {
      pace.poke();
      vi.advanceTimersByTime(50);
    }
    expect(action).toHaveBeenCalledTimes(6);
  });

  it("does not lose the last change", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    vi.advanceTimersByTime(999);
    expect(action).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    expect(action).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(2);
  });

  it("pauses while the tab is hidden, and catches up once", () => {
    const { action, pace } = start();
    pace.hold(true);
    pace.poke();
    pace.poke();
    vi.advanceTimersByTime(60_000);
    expect(action).not.toHaveBeenCalled();
    pace.hold(false);
    expect(action).toHaveBeenCalledTimes(1);
    pace.hold(true);
    pace.hold(false);
    vi.advanceTimersByTime(60_000);
    expect(action).toHaveBeenCalledTimes(1);
  });

  it("pauses even if the next run was scheduled before", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    pace.hold(true);
    vi.advanceTimersByTime(5_000);
    expect(action).toHaveBeenCalledTimes(1);
    pace.hold(false);
    expect(action).toHaveBeenCalledTimes(2);
  });

  it("continues while something is left to do", () => {
    const { action, pace } = start([true, true, false]);
    pace.poke();
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(3);
  });

  it("ends", () => {
    const { action, pace } = start();
    pace.poke();
    pace.poke();
    pace.stop();
    vi.advanceTimersByTime(10_000);
    expect(action).toHaveBeenCalledTimes(1);
  });
});

/** An observed query. Each fetch ends when the test calls `end`. */
function watch(client: QueryClient, key: string, meta?: { live: false | "build" }) {
  const ends: (() => void)[] = [];
  const read = vi.fn<() => Promise<number>>(
    () => new Promise<number>((resolve) => ends.push(() => resolve(ends.length))),
  );
  onTestFinished(
    new QueryObserver(client, { queryKey: [key], queryFn: read, retry: false, ...(meta ? { meta } : {}) }).subscribe(
      () => {},
    ),
  );
  const end = async () => {
    ends.at(-1)?.();
    await vi.waitFor(() => expect(client.getQueryState([key])?.fetchStatus).toBe("idle"));
  };
  return { read, end };
}

it("a change refetches every live query, and no other", async () => {
  const client = new QueryClient();
  const runs = watch(client, "runs");
  const still = watch(client, "still", { live: false });
  await runs.end();
  await still.end();
  const refresh = createRefresh(client);
  refresh.changed(false);
  expect(refresh.run()).toBe(false);
  expect(runs.read).toHaveBeenCalledTimes(2);
  expect(still.read).toHaveBeenCalledTimes(1);
});

it("queries that only a build changes are refetched with another build", async () => {
  const client = new QueryClient();
  const graph = watch(client, "graph", { live: "build" });
  await graph.end();
  const refresh = createRefresh(client);
  refresh.changed(false);
  expect(refresh.run()).toBe(false);
  expect(graph.read).toHaveBeenCalledTimes(1);
  refresh.changed(true);
  refresh.run();
  expect(graph.read).toHaveBeenCalledTimes(2);
});

it.each([{ live: false as const }, { live: "build" as const }])(
  "a failed query is refetched, also with %o",
  async (meta) => {
    const client = new QueryClient();
    const read = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error("The service is down."))
      .mockResolvedValue(1);
    onTestFinished(
      new QueryObserver(client, { queryKey: ["sheet"], queryFn: read, retry: false, meta }).subscribe(() => {}),
    );
    await vi.waitFor(() => expect(client.getQueryState(["sheet"])?.status).toBe("error"));
    const refresh = createRefresh(client);
    refresh.changed(false);
    refresh.run();
    await vi.waitFor(() => expect(client.getQueryData(["sheet"])).toBe(1));
    refresh.changed(false);
    refresh.run();
    expect(read).toHaveBeenCalledTimes(2);
  },
);

it("a query in progress is not fetched twice at once, but once more afterwards", async () => {
  const client = new QueryClient();
  const runs = watch(client, "runs");
  const refresh = createRefresh(client);
  refresh.changed(false);
  expect(refresh.run()).toBe(true);
  expect(runs.read).toHaveBeenCalledTimes(1);
  await runs.end();
  expect(refresh.run()).toBe(false);
  expect(runs.read).toHaveBeenCalledTimes(2);
});

it("a slow query neither delays the others nor refetches them", async () => {
  const client = new QueryClient();
  const slow = watch(client, "slow");
  const quick = watch(client, "quick");
  await quick.end();
  const refresh = createRefresh(client);
  refresh.changed(false);
  expect(refresh.run()).toBe(true);
  expect(quick.read).toHaveBeenCalledTimes(2);
  await quick.end();
  expect(refresh.run()).toBe(true);
  expect(quick.read).toHaveBeenCalledTimes(2);
  expect(slow.read).toHaveBeenCalledTimes(1);
});

const createClient = () => {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
  client.setQueryDefaults(["graph"], { meta: { live: "build" } });
  return client;
};
/** What a page brings along: `key` as it was when the server read it. */
const rendered = (key: string, value: number) => {
  const server = createClient();
  server.setQueryData([key], value);
  return dehydrate(server);
};
const listen = (client: QueryClient) => {
  const refresh = createRefresh(client);
  const callback = vi.fn<() => void>();
  const stop = refresh.onRendered(callback);
  onTestFinished(stop);
  return { refresh, callback, stop };
};

describe("data that the server rendered", () => {
  it("is refetched once, also when the query existed before", async () => {
    const client = createClient();
    const { refresh, callback } = listen(client);
    for (const [value, calls] of [
      [1, 1],
      [2, 2],
    ] as const) {
      const page = rendered("runs", value);
      for (const query of page.queries) query.state.dataUpdatedAt += value;
      hydrate(client, page);
      expect(client.getQueryData(["runs"])).toBe(value);
      expect(callback, "not while the page renders").toHaveBeenCalledTimes(calls - 1);
      await vi.waitFor(() => expect(callback).toHaveBeenCalledTimes(calls));
    }
    const runs = watch(client, "runs");
    expect(refresh.run()).toBe(false);
    expect(runs.read).toHaveBeenCalledTimes(1);
    await runs.end();
    expect(refresh.run()).toBe(false);
    expect(runs.read).toHaveBeenCalledTimes(1);
  });

  it("is not refetched if only a build changes it, nor after the end; data from other sources never", async () => {
    const client = createClient();
    const { callback, stop } = listen(client);
    hydrate(client, rendered("graph", 1));
    client.setQueryData(["typed"], 1);
    client.setQueryData(["typed"], 2);
    stop();
    hydrate(client, rendered("runs", 1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(callback).not.toHaveBeenCalled();
  });
});
