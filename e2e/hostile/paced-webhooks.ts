import { Agent } from "node:http";
import { expect } from "vitest";
import { post } from "./bystander.ts";

/** The maximum ratio of a median webhook to one on the idle service. With one process, it was in the hundreds. */
const maxSlowdown = 20;
/** Other processes of the machine delay a webhook by less. In one process it took longer. */
const maxUndelayedMs = 200;

/** Fails if webhooks take much longer than on the idle service. */
export function expectUndelayed(medianMs: number, idleMs: number, what: string): void {
  expect(medianMs, `${what}: median webhook, ms; on the idle service ${idleMs.toFixed(1)} ms`).toBeLessThan(
    Math.max(maxSlowdown * idleMs, maxUndelayedMs),
  );
}

/**
 * Sends webhooks one after the other while `work` is in progress, and at least `min`. All must be accepted. Resolves to
 * the median time of a webhook and the number of webhooks that were answered before the work was done.
 */
export async function sendWebhooksDuring(
  { url, key }: { url: string; key: string },
  work: Promise<unknown>,
  { min = 40 } = {},
): Promise<{ medianMs: number; answeredDuring: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const isInProgress = () => !isDone;
  const took: number[] = [];
  let answeredDuring = 0;
  while (took.length < min || isInProgress()) {
    const sentAt = performance.now();
    const { status } = await post({
      url: `${url}/triggers/signup`,
      body: '{"name":"Ada"}',
      headers: { "x-api-key": key },
      agent,
    });
    expect(status).toBe(202);
    took.push(performance.now() - sentAt);
    if (isInProgress()) answeredDuring += 1;
  }
  await done;
  agent.destroy();
  return { medianMs: took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)] ?? 0, answeredDuring };
}
