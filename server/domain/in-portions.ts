import { setImmediate } from "node:timers/promises";

/**
 * Works through things a few at a time, and lets webhooks in between: the store answers on the same event loop that
 * receives.
 */
export async function inPortions<Thing, Result>(
  things: readonly Thing[],
  p: { size: number; work: (portion: Thing[]) => Promise<Result[]> },
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < things.length; at += p.size) {
    if (at > 0) await setImmediate();
    results.push(...(await p.work(things.slice(at, at + p.size))));
  }
  return results;
}
