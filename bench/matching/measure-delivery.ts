import { z } from "zod";
import { noneDisabled } from "../../server/contract/disabled.ts";
import { jsonSchema } from "../../server/contract/json.ts";
import { newId } from "../../server/domain/ids.ts";
import { decideDelivery } from "../../server/matching/decide-delivery.ts";
import type { Store } from "../../server/ports/store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { bodiesOf } from "./bodies.ts";
import { actionAt, makeTriggers, type TriggerShape } from "./make-triggers.ts";

type Endpoint = ReturnType<typeof makeTriggers> & { name: string };

const bodySchema = z.record(z.string(), jsonSchema);
type Body = z.infer<typeof bodySchema>;

let delivered = 0;

const manifest = { version: "v1", workflows: [], agents: [] };

/**
 * Microseconds of CPU that one delivery takes from the parsed body to the disk: which triggers match, what every other
 * says, and delivery, run and counts in the store. One in a commit of its own, and fifty in one. Each matches another
 * of the triggers. Every round takes all sizes in turn.
 */
export async function measureDelivery(p: {
  file: string;
  shape: TriggerShape;
  sizes: readonly number[];
  rounds: number;
}) {
  const store = await openSqliteStore({ file: p.file });
  const [small] = bodiesOf();
  const body = bodySchema.parse(small?.body);
  const endpoints = p.sizes.map((size) => ({ name: `bench-${size}`, ...makeTriggers(p.shape, size) }));
  const kinds: number[] = [];
  for (const endpoint of endpoints) kinds.push(await firstOf(store, endpoint, body));
  const times = endpoints.map(() => ({ alone: [] as number[], together: [] as number[] }));
  for (let round = 0; round <= p.rounds; round++) {
    for (const [at, endpoint] of endpoints.entries()) {
      const alone: number[] = [];
      for (let call = 0; call < 10; call++) alone.push(await cpuOf(() => deliver(store, endpoint, body)));
      const together: number[] = [];
      for (let batch = 0; batch < 10; batch++)
        together.push(
          (await cpuOf(() => Promise.all(Array.from({ length: 50 }, () => deliver(store, endpoint, body))))) / 50,
        );
      // The first round warms up.
      if (round === 0) continue;
      times[at]?.alone.push(middle(alone));
      times[at]?.together.push(middle(together));
    }
  }
  await store.close();
  const medians = times.map(({ alone, together }) => ({ alone: middle(alone), together: middle(together) }));
  return medians.map(({ alone, together }, at) => ({
    shape: p.shape,
    triggers: p.sizes[at],
    "alone µs": Math.round(alone),
    "to 10": ratio(alone, medians[0]?.alone),
    "of fifty µs": Math.round(together),
    "to 10 ": ratio(together, medians[0]?.together),
    "second of its kind µs": Math.round(kinds[at] ?? 0),
  }));
}

function ratio(mine: number, first: number | undefined): number {
  return Math.round((mine / (first ?? mine)) * 100) / 100;
}

/** What the one costs that makes the verdicts in common: the second of its kind. */
async function firstOf(store: Store, endpoint: Endpoint, body: Body): Promise<number> {
  await deliver(store, endpoint, body);
  return cpuOf(() => deliver(store, endpoint, body));
}

async function deliver(store: Store, { name, triggers, index }: Endpoint, example: Body): Promise<void> {
  const body = { ...example, action: actionAt(triggers.length, delivered++) };
  const [id, now] = [newId("dlv"), Date.now()];
  const decision = decideDelivery({
    manifest,
    triggers,
    index,
    isShared: true,
    body,
    deliveryId: id,
    now,
    startedBy: "webhook",
    keyId: null,
    disabled: noneDisabled,
  });
  if (decision.outcome !== "accepted") throw new Error(`Nothing matches on ${name}`);
  const { outcome, responseStatus, verdicts, runs } = decision;
  const rest = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: Buffer.from("{}"),
    bodyBytes: 2,
    bodySha256: null,
    problem: null,
    durationMs: 1,
    keyId: null,
    redeliveryOf: null,
  };
  await store.acceptDelivery({
    delivery: { ...rest, id, endpoint: name, receivedAt: now, outcome, responseStatus, verdicts },
    runs,
    idempotency: null,
  });
}

async function cpuOf(action: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await action();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

function middle(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
