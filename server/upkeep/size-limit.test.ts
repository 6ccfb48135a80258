import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "../ports/logger.ts";
import type { UpkeepStore } from "../ports/store/upkeep-store.ts";
import { openSqliteStore } from "../store/sqlite/open-store.ts";
import { aClaim, aDelivery, aRun } from "../store/testing/factories.ts";
import { maxBytesOf, type MaxSize, removeBySize } from "./size-limit.ts";

const hour = 3_600_000;
const now = Date.UTC(2026, 10, 27);
const megabyte = 1_000_000;
const body = randomBytes(20_000);

/** Deliveries of 20 kB, a minute apart, the oldest first. The last one is a minute old. */
async function openFilled(count: number) {
  const folder = mkdtempSync(join(tmpdir(), "size-"));
  const store = await openSqliteStore({ file: join(folder, "signalbox.db") });
  onTestFinished(async () => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await store.saveClockWatch({ seenAt: now, trustedAt: now, waitingSince: null });
  const ids: string[] = [];
  for (let n = count; n > 0; n -= 1) {
    const receivedAt = now - n * 60_000;
    const delivery = aDelivery({ receivedAt, body });
    await store.acceptDelivery({ delivery, runs: [], idempotency: null });
    ids.push(delivery.id);
  }
  const left = async () => {
    const kept = await Promise.all(ids.map((id) => store.getDelivery(id)));
    return kept.flatMap((delivery, at) => (delivery ? [at] : []));
  };
  const warn = vi.fn<(message: string, fields?: object) => void>();
  const shrink = (maxSize: MaxSize | null, given: { keysSince?: number; at?: number } = {}) =>
    removeBySize({
      store,
      maxSize,
      keysSince: given.keysSince ?? now,
      now: given.at ?? now,
      pause: async () => true,
      logger: { ...silentLogger, warn },
    });
  return { store, left, shrink, warn };
}

it("beyond its maximum size, a store loses its oldest deliveries until it is a tenth smaller, and records their time", async () => {
  const { store, left, shrink, warn } = await openFilled(300);
  const before = (await store.readSize())?.usedBytes ?? 0;
  await shrink(100);
  expect(await left()).toHaveLength(300);
  expect(warn).not.toHaveBeenCalled();

  await shrink(4);
  const kept = await left();
  expect(before).toBeGreaterThan(6 * megabyte);
  const { usedBytes = 0 } = (await store.readSize()) ?? {};
  expect(usedBytes).toBeLessThanOrEqual(3.6 * megabyte);
  // It removes some at a time, and little more than needed.
  expect(usedBytes).toBeGreaterThan(2.4 * megabyte);
  expect(kept).toEqual(Array.from({ length: kept.length }, (_, at) => 300 - kept.length + at));
  const oldest = now - kept.length * 60_000;
  const removedBefore = await store.readRemovedBefore();
  expect(removedBefore).toBeGreaterThanOrEqual(oldest - 60_000);
  expect(removedBefore).toBeLessThanOrEqual(oldest);
  expect(warn.mock.calls).toMatchObject([
    [
      "the store was larger than retentionMb: the oldest deliveries and runs were removed",
      { deliveries: 300 - kept.length },
    ],
  ]);
  await shrink(4);
  expect(await left()).toEqual(kept);
});

it("keeps deliveries of the last hour, of open runs, and with keys in use, and says that it is still too large", async () => {
  const { store, left, shrink, warn } = await openFilled(100);
  const receivedAt = now - 200 * 60_000;
  const old = { receivedAt, body };
  const open = aDelivery(old);
  const keyed = aDelivery(old);
  await store.acceptDelivery({ delivery: open, runs: [aRun({ deliveryId: open.id })], idempotency: null });
  await store.acceptDelivery({ delivery: keyed, runs: [], idempotency: { key: "k", notBefore: 0 } });
  await shrink(1, { keysSince: now - 24 * hour });
  expect((await left())[0]).toBe(40);
  expect(await left()).toHaveLength(60);
  expect(await store.getDelivery(open.id)).not.toBeNull();
  expect(await store.getDelivery(keyed.id)).not.toBeNull();
  expect(warn).toHaveBeenCalledWith(
    "the store is larger than retentionMb, and what is left cannot be removed yet",
    expect.objectContaining({ deliveries: 40 }),
  );
});

it("counts runs that no delivery started as well", async () => {
  const { store, left, shrink } = await openFilled(0);
  const runs = Array.from({ length: 150 }, (_, n) =>
    aRun({ deliveryId: null, createdAt: now - 3 * hour + n, input: { text: body.toString("base64") } }),
  );
  for (const run of runs) await store.createRuns([run]);
  for (const { id, token } of await store.claimRuns(aClaim({ limit: 150, now: now - 2 * hour })))
    await store.writeProgress({
      runId: id,
      token,
      now: now - 2 * hour,
      entries: [],
      transition: { to: "completed", output: 1 },
    });
  await shrink(1);
  expect((await store.readSize())?.usedBytes).toBeLessThan(megabyte);
  expect(await left()).toEqual([]);
});

it("has three quarters of the disk by default, and no maximum on a server", async () => {
  const { store, shrink, left } = await openFilled(1);
  const { blocks, bsize } = statfsSync(tmpdir());
  const size = await store.readSize();
  expect(size?.diskBytes).toBe(blocks * bsize);
  expect(maxBytesOf("disk", 1_000)).toBe(750);
  await shrink(null);
  expect(await left()).toEqual([0]);
  const onServer: Pick<UpkeepStore, "readSize"> = { readSize: async () => null };
  await removeBySize({
    store: { ...store, ...onServer },
    maxSize: "disk",
    keysSince: 0,
    now,
    pause: async () => true,
    logger: silentLogger,
  });
  expect(await left()).toEqual([0]);
});
