import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { aDelivery, aRun } from "../../server/store/testing/factories.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { type HostileService, startHostileService } from "./hostile-service.ts";
import { expectUndelayed, sendWebhooksDuring } from "./paced-webhooks.ts";

const rows = 20_000;
/** Of two hundred waits, at least this many are rejected. */
const deniedWaits = 100;

it("while eight exports, sixteen text searches and two hundred waits of one token are in progress, webhooks are answered as before; too many at once get 429", async () => {
  const service = await startHostileService();
  const runId = await fill(join(service.projectDir, ".signalbox/signalbox.db"));
  const idle = await sendWebhooksDuring(service, Promise.resolve());
  const readers = startReaders(service, runId);
  await readers.begun;
  const busy = await sendWebhooksDuring(service, Promise.resolve());
  const statuses = await readers.finish();
  expectUndelayed(busy.medianMs, idle.medianMs, "reads");
  expect([...statuses.keys()].toSorted()).toEqual([200, 429]);
  expect(statuses.get(429)).toBeGreaterThanOrEqual(deniedWaits);
});

/** Gives the id of a run that nothing executes. */
async function fill(file: string): Promise<string> {
  const store = await openSqliteStore({ file });
  const name = "x".repeat(4_000);
  for (let at = 0; at < rows; at += 5_000) {
    const times = Array.from({ length: 5_000 }, (_, n) => Date.now() - at - n);
    await Promise.all(
      times.map((receivedAt) =>
        store.recordDelivery(aDelivery({ receivedAt, body: Buffer.from(JSON.stringify({ name })) })),
      ),
    );
    await store.createRuns(
      times.map((createdAt) => aRun({ createdAt, input: { name }, target: { kind: "workflow", slug: "elsewhere" } })),
    );
  }
  const { data } = await store.listRuns({}, { limit: 1, cursor: null });
  await store.close();
  return data[0]?.id ?? "";
}

/**
 * Reads as fast as it is answered. `begun`: every reader has had an answer, and the waits that are too many were
 * rejected.
 */
function startReaders({ url, token }: HostileService, runId: string) {
  const headers = { authorization: `Bearer ${token}` };
  const statuses = new Map<number, number>();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const read = async (path: string, begun: () => void) => {
    while (!stop.signal.aborted) {
      const response = await fetch(url + path, { headers, signal: stop.signal });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      begun();
      for await (const _ of response.body ?? []) stop.signal.throwIfAborted();
      if (response.status === 429) return;
    }
  };
  const start = (count: number, path: string) =>
    Array.from({ length: count }, () => Promise.withResolvers<void>()).map(({ promise, resolve }) => ({
      begun: promise,
      ended: read(path, resolve).catch(() => {}),
    }));
  const reading = [
    ...start(8, "/api/v1/runs/export?format=jsonl"),
    ...start(8, "/api/v1/deliveries?text=nowhere"),
    ...start(8, "/api/v1/runs?text=nowhere"),
  ];
  const waiting = start(200, `/api/v1/runs/${runId}?wait=60`);
  return {
    begun: Promise.all([...reading.map(({ begun }) => begun), answersOf(deniedWaits, waiting)]),
    async finish() {
      stop.abort();
      await Promise.all([...reading, ...waiting].map(({ ended }) => ended));
      return statuses;
    },
  };
}

/** Resolves when `count` of the requests were answered. */
function answersOf(count: number, requests: { begun: Promise<void> }[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = count;
  for (const { begun } of requests) void begun.then(() => (left -= 1) === 0 && resolve());
  return promise;
}
