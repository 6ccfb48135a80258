import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { Verdict } from "../../../contract/delivery.ts";
import { migrationsFolder } from "../../../paths.ts";
import { systemClock } from "../../../ports/clock.ts";
import { silentLogger } from "../../../ports/logger.ts";
import type { NewDelivery } from "../../../ports/store/delivery-store.ts";
import { aDelivery, aVerdict, epoch } from "../../testing/factories.ts";
import { createDatabase } from "../database.ts";
import { createTrafficTally, prepareFoldTraffic } from "./traffic-log.ts";
import { migrate } from "../file/migrate.ts";
import { openConnection } from "../file/open-connection.ts";
import { createTrafficStore } from "./traffic-store.ts";

const hour = 3_600_000;
let folder: string;
let closing: (() => void)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-fold-"));
});
afterEach(() => {
  for (const close of closing) close();
  closing = [];
  rmSync(folder, { recursive: true, force: true });
});

async function openCounters(name: string) {
  const connection = await openConnection(join(folder, name));
  closing.push(() => connection.close());
  migrate(connection, { folder: migrationsFolder("sqlite"), clock: systemClock, logger: silentLogger });
  const database = createDatabase(connection, () => Promise.reject(new Error("this database is only read")));
  const tally = createTrafficTally(connection);
  const traffic = createTrafficStore(database);

  const count = (delivery: NewDelivery) => {
    tally.begin();
    tally.add(delivery);
    tally.write();
  };
  const readCounts = async () => {
    const window = { since: epoch, until: epoch + 72 * hour };
    const by = (bucketMs: 60_000 | 3_600_000, endpoints: string[] | null) =>
      traffic.countDeliveries({ ...window, bucketMs, endpoints });
    const verdicts = (bucketMs: 60_000 | 3_600_000) =>
      traffic.countVerdicts({ ...window, bucketMs, endpoints: ["a", "b"] });
    return Promise.all([
      by(60_000, ["a", "b"]),
      by(hour, ["a", "b"]),
      by(60_000, null),
      by(hour, null),
      verdicts(60_000),
      verdicts(hour),
    ]);
  };
  const fold = connection.transaction(prepareFoldTraffic(connection));
  return { count, readCounts, fold: () => fold.immediate() };
}

it("counts are the same whenever they are folded into counters", async () => {
  const arrival = fc.record({
    at: fc.integer({ min: 0, max: 40 * hour }),
    endpoint: fc.constantFrom("a", "b", " odd  one "),
    verdicts: fc.array(fc.constantFrom("matched" as const, "disabled" as const), { maxLength: 3 }),
  });
  const histories = fc.array(fc.oneof(arrival, fc.constant("fold" as const)), { maxLength: 20 });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      run += 1;
      const [folded, logged] = [await openCounters(`${run}-folded.db`), await openCounters(`${run}-logged.db`)];
      for (const event of history) {
        if (event === "fold") {
          folded.fold();
          continue;
        }
        const verdicts = event.verdicts.map((outcome, n): Verdict => aVerdict({ attachmentId: `x:${n}`, outcome }));
        const delivery = aDelivery({ receivedAt: epoch + event.at, endpoint: event.endpoint, verdicts });
        for (const one of [folded, logged]) one.count(delivery);
        expect(await folded.readCounts()).toEqual(await logged.readCounts());
      }
      while (folded.fold());
      expect(await folded.readCounts()).toEqual(await logged.readCounts());
    }),
    { numRuns: 12 },
  );
});

it("a fold is limited regardless of the number of counts, and keeps the rest", async () => {
  const { count, readCounts, fold } = await openCounters("large.db");
  const verdicts = Array.from({ length: 2_500 }, (_, n) => aVerdict({ attachmentId: `x:${n}` }));
  count(aDelivery({ receivedAt: epoch, endpoint: "a", verdicts }));
  const before = await readCounts();
  const folds: boolean[] = [];
  do {
    folds.push(fold());
    expect(await readCounts()).toEqual(before);
  } while (folds.at(-1));
  expect(folds.length).toBeGreaterThan(4);
  expect(fold()).toBe(false);
});
