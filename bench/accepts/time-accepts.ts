import { randomUUID } from "node:crypto";
import type { Verdict } from "../../server/contract/delivery.ts";
import { newId } from "../../server/domain/ids.ts";
import type { Store } from "../../server/ports/store.ts";

export interface Load {
  /** Verdicts of each delivery. The first matches and starts a run. */
  verdicts: number;
  /** Number of endpoints that the deliveries use. */
  endpoints: number;
  /** Number of deliveries that wait for their commit at the same time. */
  inFlight: number;
  count: number;
  /** Their runs are recorded as running. Otherwise they are queued. */
  isAssigned: boolean;
}

/** Milliseconds of one delivery: by the clock, of this process's own work, and of a database's. */
export interface Time {
  wall: number;
  cpu: number;
  database: number;
}

type Request = Parameters<Store["acceptDelivery"]>[0];

const payload = { email: "x".repeat(280) };
const body = Buffer.from(JSON.stringify(payload));
const target = { kind: "workflow", slug: "welcome-email" } as const;

/** `readDatabaseCpu`: the CPU time of the database until now, in milliseconds. */
export async function timeAccepts(store: Store, load: Load, readDatabaseCpu: () => number): Promise<Time> {
  const requests = Array.from({ length: load.count }, (_, index) => aRequest(load, index)).values();
  const began = performance.now();
  const worked = process.cpuUsage();
  const databaseWorked = readDatabaseCpu();
  await Promise.all(
    Array.from({ length: load.inFlight }, async () => {
      for (const request of requests) await store.acceptDelivery(request);
    }),
  );
  const { user, system } = process.cpuUsage(worked);
  return {
    wall: (performance.now() - began) / load.count,
    cpu: (user + system) / 1000 / load.count,
    database: (readDatabaseCpu() - databaseWorked) / load.count,
  };
}

export function aRequest(load: Load, index: number): Request {
  const [id, runId, now] = [newId("dlv"), newId("run"), Date.now()];
  const endpoint = `team/endpoint-${(index * 7919) % load.endpoints}`;
  const verdicts = Array.from({ length: load.verdicts }, (_, at): Verdict => {
    const trigger = `${endpoint.replace("/", "-")}-${at}`;
    const reasons = [
      {
        pointer: "/type",
        code: "invalid_value",
        message: 'Invalid input: expected "paid"',
        expected: "paid",
        actual: "refund",
      },
    ];
    return {
      trigger,
      attachmentId: `${trigger}:${target.slug}`,
      target,
      ...(at === 0
        ? { outcome: "matched", runId, reasons: [] }
        : { outcome: "request_mismatch", runId: null, reasons }),
    };
  });
  const [matched] = verdicts;
  return {
    delivery: {
      id,
      endpoint,
      receivedAt: now,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "bench" },
      body,
      bodyBytes: body.length,
      bodySha256: "a".repeat(64),
      outcome: "accepted",
      responseStatus: 202,
      problem: null,
      verdicts,
      unlistedVerdicts: [],
      durationMs: 1,
      keyId: null,
      redeliveryOf: null,
    },
    runs: [
      {
        id: runId,
        trigger: matched?.trigger ?? "",
        attachmentId: matched?.attachmentId ?? "",
        target,
        deliveryId: id,
        startedBy: "webhook",
        replayOf: null,
        version: "v1",
        maxAttempts: 3,
        createdAt: now,
        payload,
        input: null,
        keyId: null,
        ...(load.isAssigned
          ? { assignment: { workerId: "wrk_bench", token: randomUUID(), leaseUntil: now + 12_000, payloadText: "{}" } }
          : {}),
      },
    ],
    idempotency: null,
    // As the receiver gives it. No run waits for the source.
    delivered: {
      events: [{ source: matched?.trigger ?? "", payload }],
      ifWoken: { outcome: "accepted", responseStatus: 202, problem: null },
    },
  };
}
