import type { Verdict } from "../../server/contract/delivery.ts";
import { newId } from "../../server/domain/ids.ts";
import type { Store } from "../../server/ports/store.ts";

export interface Load {
  /** Of each delivery; the first matches and starts a run. */
  verdicts: number;
  /** Over how many deliveries are spread. */
  endpoints: number;
  /** How many wait for their commit at a time. */
  inFlight: number;
  count: number;
}

type Request = Parameters<Store["acceptDelivery"]>[0];

const payload = { email: "x".repeat(280) };
const body = Buffer.from(JSON.stringify(payload));
const target = { kind: "workflow", slug: "welcome-email" } as const;

/** Milliseconds of one delivery: by the clock, and of this process's own work. */
export async function timeAccepts(store: Store, load: Load): Promise<{ wall: number; cpu: number }> {
  const requests = Array.from({ length: load.count }, (_, index) => aRequest(load, index)).values();
  const began = performance.now();
  const worked = process.cpuUsage();
  await Promise.all(
    Array.from({ length: load.inFlight }, async () => {
      for (const request of requests) await store.acceptDelivery(request);
    }),
  );
  const { user, system } = process.cpuUsage(worked);
  return { wall: (performance.now() - began) / load.count, cpu: (user + system) / 1000 / load.count };
}

function aRequest(load: Load, index: number): Request {
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
      },
    ],
    idempotency: null,
  };
}
