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

/** As tRPC makes it. */
const keyOf = (path: string, input: object = {}) => [path.split("."), { input, type: "query" }];

/** An observed query. Each fetch ends when the test calls `end`. */
function watch(client: QueryClient, path: string, { meta, input }: { meta?: { live: false }; input?: object } = {}) {
  const queryKey = keyOf(path, input);
  const ends: (() => void)[] = [];
  const read = vi.fn<() => Promise<number>>(
    () => new Promise<number>((resolve) => ends.push(() => resolve(ends.length))),
  );
  onTestFinished(
    new QueryObserver(client, { queryKey, queryFn: read, retry: false, ...(meta ? { meta } : {}) }).subscribe(() => {}),
  );
  const end = async () => {
    ends.at(-1)?.();
    await vi.waitFor(() => expect(client.getQueryState(queryKey)?.fetchStatus).toBe("idle"));
  };
  return { read, end };
}

it("a change refetches the live queries of its topics, and no other", async () => {
  const client = new QueryClient();
  const runs = watch(client, "runs.list");
  const still = watch(client, "runs.list", { meta: { live: false }, input: { limit: 1 } });
  const one = watch(client, "runs.get", { input: { id: "run_1" } });
  const other = watch(client, "runs.get", { input: { id: "run_2" } });
  const graph = watch(client, "canvas.graph");
  const all = [runs, still, one, other, graph];
  for (const query of all) await query.end();
  const refresh = createRefresh(client);
  const reads = () => all.map(({ read }) => read.mock.calls.length);
  refresh.changed(["runs", "run:run_1"]);
  expect(refresh.run()).toBe(false);
  expect(reads()).toEqual([2, 1, 2, 1, 1]);
  await runs.end();
  await one.end();
  refresh.changed(["build"]);
  refresh.run();
  expect(reads()).toEqual([2, 1, 2, 1, 2]);
  await graph.end();
  refresh.changed(["all"]);
  refresh.run();
  expect(reads(), "a run is read only if it has changed itself").toEqual([3, 1, 2, 1, 3]);
});

it.each(["runs.get", "triggers.get", "account.sessions"])(
  "a failed query is refetched by any change: %s",
  async (path) => {
    const client = new QueryClient();
    const read = vi
      .fn<() => Promise<number>>()
      .mockRejectedValueOnce(new Error("The service is down."))
      .mockResolvedValue(1);
    const queryKey = keyOf(path);
    onTestFinished(
      new QueryObserver(client, { queryKey, queryFn: read, retry: false, meta: { live: false } }).subscribe(() => {}),
    );
    await vi.waitFor(() => expect(client.getQueryState(queryKey)?.status).toBe("error"));
    const refresh = createRefresh(client);
    refresh.changed(["presets"]);
    refresh.run();
    await vi.waitFor(() => expect(client.getQueryData(queryKey)).toBe(1));
    refresh.changed(["presets"]);
    refresh.run();
    expect(read).toHaveBeenCalledTimes(2);
  },
);

it("a query in progress is not fetched twice at once, but once more afterwards", async () => {
  const client = new QueryClient();
  const runs = watch(client, "runs.list");
  const refresh = createRefresh(client);
  refresh.changed(["runs"]);
  expect(refresh.run()).toBe(true);
  expect(runs.read).toHaveBeenCalledTimes(1);
  await runs.end();
  expect(refresh.run()).toBe(false);
  expect(runs.read).toHaveBeenCalledTimes(2);
});

it("a slow query neither delays the others nor refetches them", async () => {
  const client = new QueryClient();
  const slow = watch(client, "runs.count");
  const quick = watch(client, "runs.list");
  await quick.end();
  const refresh = createRefresh(client);
  refresh.changed(["runs"]);
  expect(refresh.run()).toBe(true);
  expect(quick.read).toHaveBeenCalledTimes(2);
  await quick.end();
  expect(refresh.run()).toBe(true);
  expect(quick.read).toHaveBeenCalledTimes(2);
  expect(slow.read).toHaveBeenCalledTimes(1);
});

const createClient = () => new QueryClient({ defaultOptions: { queries: { staleTime: Infinity } } });
/** What a page brings along: a query as it was when the server read it. */
const rendered = (path: string, value: number) => {
  const server = createClient();
  server.setQueryData(keyOf(path), value);
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
      const page = rendered("runs.list", value);
      for (const query of page.queries) query.state.dataUpdatedAt += value;
      hydrate(client, page);
      expect(client.getQueryData(keyOf("runs.list"))).toBe(value);
      expect(callback, "not while the page renders").toHaveBeenCalledTimes(calls - 1);
      await vi.waitFor(() => expect(callback).toHaveBeenCalledTimes(calls));
    }
    const runs = watch(client, "runs.list");
    expect(refresh.run()).toBe(false);
    expect(runs.read).toHaveBeenCalledTimes(1);
    await runs.end();
    expect(refresh.run()).toBe(false);
    expect(runs.read).toHaveBeenCalledTimes(1);
  });

  it("is not refetched if it is of a build or of one run, nor after the end; data from other sources never", async () => {
    const client = createClient();
    const { callback, stop } = listen(client);
    hydrate(client, rendered("canvas.graph", 1));
    hydrate(client, rendered("runs.get", 1));
    client.setQueryData(["typed"], 1);
    client.setQueryData(["typed"], 2);
    stop();
    hydrate(client, rendered("runs.list", 1));
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(callback).not.toHaveBeenCalled();
  });
});
