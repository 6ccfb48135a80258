import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it, onTestFinished, vi } from "vitest";
import { createRefresh } from "./create-refresh.ts";

/** A query that somebody looks at; each read ends when the test says so. */
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

it("a change has every live query read again, and no other", async () => {
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

it("what a build alone changes is read again with another build", async () => {
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
  "a query that has failed is read again, also with %o",
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

it("a query that is being read is not read twice at once, but once more afterwards", async () => {
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

it("a slow query does not hold up the others, nor have them read for its sake", async () => {
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
