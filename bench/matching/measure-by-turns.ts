import { median } from "../report/statistics.ts";

/**
 * Microseconds of CPU that one call of each action takes: the median over rounds. Every round measures all actions in
 * turn, so that a slow moment affects them equally.
 */
export function measureByTurns(p: {
  rounds: number;
  perRoundMs: number;
  actions: readonly (() => unknown)[];
}): number[] {
  const calls = p.actions.map((action) => callsWithin(action, p.perRoundMs));
  const times = p.actions.map((): number[] => []);
  for (let round = 0; round < p.rounds; round++) {
    for (const [at, action] of p.actions.entries()) times[at]?.push(cpuOf(action, calls[at] ?? 1) / (calls[at] ?? 1));
  }
  return times.map(median);
}

/** Also warms the action up. */
function callsWithin(action: () => unknown, milliseconds: number): number {
  let calls = 1;
  while (cpuOf(action, calls) < milliseconds * 1000) calls *= 2;
  return calls;
}

function cpuOf(action: () => unknown, calls: number): number {
  const before = process.threadCpuUsage();
  for (let call = 0; call < calls; call++) action();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
