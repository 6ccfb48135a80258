import { newId } from "../../server/domain/ids.ts";
import { matchTriggers } from "../../server/matching/match-triggers.ts";
import type { NewDelivery } from "../../server/ports/store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { bodiesOf } from "./bodies.ts";
import { makeTriggers } from "./make-triggers.ts";

/** What the verdicts of one delivery cost in the ledger: as text, and to write, in a commit of its own and in one with many. */
export async function measureStore({ file, sizes, rounds }: { file: string; sizes: readonly number[]; rounds: number }) {
  const store = await openSqliteStore({ file });
  const body = bodiesOf()[0]?.body ?? null;
  const rows = [];
  for (const size of sizes.filter((size) => size <= 1_000)) {
    const endpoint = makeTriggers("filters, one request", size);
    const verdicts = matchTriggers({ ...endpoint, body }).verdicts();
    const alone: number[] = [];
    const together: number[] = [];
    for (let round = 0; round < rounds; round++) {
      for (let call = 0; call < 5; call++) alone.push(await cpuOf(() => store.recordDelivery(deliveryWith(size, verdicts))));
      together.push((await cpuOf(() => Promise.all(Array.from({ length: 50 }, () => store.recordDelivery(deliveryWith(size, verdicts)))))) / 50);
    }
    rows.push({ triggers: size, "verdicts kB": Math.round(JSON.stringify(verdicts).length / 100) / 10, "alone µs": middle(alone), "of fifty µs": middle(together) });
  }
  await store.close();
  return rows;
}

function deliveryWith(size: number, verdicts: NewDelivery["verdicts"]): NewDelivery {
  const rest = { method: "POST", headers: {}, body: Buffer.from("{}"), bodyBytes: 2, bodySha256: null, problem: null, durationMs: 1, keyId: null, redeliveryOf: null };
  return { ...rest, id: newId("dlv"), endpoint: `bench-${size}`, receivedAt: Date.now(), outcome: "accepted", responseStatus: 202, verdicts };
}

async function cpuOf(action: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

function middle(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}
