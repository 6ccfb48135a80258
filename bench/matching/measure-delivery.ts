import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import { noneDisabled } from "../../server/contract/disabled.ts";
import { jsonSchema } from "../../server/contract/json.ts";
import { newId } from "../../server/domain/ids.ts";
import { decideDelivery } from "../../server/matching/match-triggers.ts";
import type { Store } from "../../server/ports/store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { bodiesOf, headers } from "./bodies.ts";
import { actionAt, makeTriggers, type TriggerShape } from "./make-triggers.ts";

type Endpoint = ReturnType<typeof makeTriggers> & { name: string };

const bodySchema = z.record(z.string(), jsonSchema);
type Body = z.infer<typeof bodySchema>;

let delivered = 0;

const manifest = { version: "v1", workflows: [], agents: [] };

/**
 * The CPU time of one delivery in microseconds, from the parsed body to the disk: the matches, the verdicts, and
 * delivery, run and counts in the store. Measured with one delivery in a commit, and with fifty. Each delivery matches
 * another trigger. Every round measures all sizes in turn. Also returns the bytes of a delivery's row.
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
  const reader = openStored(p.file);
  const bytes = endpoints.map(
    ({ name }) =>
      reader
        .prepare<[string], number>(
          "SELECT avg(length(verdicts) + length(headers) + length(body)) FROM stored_delivery WHERE endpoint = ?",
        )
        .pluck()
        .get(name) ?? 0,
  );
  reader.close();
  const medians = times.map(({ alone, together }) => ({ alone: middle(alone), together: middle(together) }));
  return medians.map(({ alone, together }, at) => ({
    shape: p.shape,
    triggers: p.sizes[at],
    "alone µs": Math.round(alone),
    "to 10": ratio(alone, medians[0]?.alone),
    "of fifty µs": Math.round(together),
    "to 10 ": ratio(together, medians[0]?.together),
    bytes: Math.round(bytes[at] ?? 0),
    "to 10  ": ratio(bytes[at] ?? 0, bytes[0]),
  }));
}

function ratio(mine: number, first: number | undefined): number {
  return Math.round((mine / (first ?? mine)) * 100) / 100;
}

async function deliver(store: Store, { name, triggers, index }: Endpoint, example: Body): Promise<void> {
  const body = { ...example, action: actionAt(triggers.length, delivered++) };
  const [id, now] = [newId("dlv"), Date.now()];
  const decision = decideDelivery({
    manifest,
    triggers,
    index,
    isShared: true,
    headers: { ...headers, "x-event": body.action },
    body,
    deliveryId: id,
    now,
    startedBy: "webhook",
    keyId: null,
    disabled: noneDisabled,
  });
  if (decision.outcome !== "accepted") throw new Error(`Nothing matches on ${name}`);
  const { outcome, responseStatus, verdicts, unlistedVerdicts, runs } = decision;
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
    delivery: { ...rest, id, endpoint: name, receivedAt: now, outcome, responseStatus, verdicts, unlistedVerdicts },
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
