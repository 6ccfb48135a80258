import type { StepRecord } from "../../ports/store/engine-store.ts";
import { FinalFailure } from "../run-errors.ts";

const maxNameChars = 200;

/** The key of a step or sleep. Repeated names are numbered in order of use: the second `a` is `a#2`. */
export function takeName(name: unknown, taken: Set<string>): string {
  if (typeof name !== "string" || name === "" || name.length > maxNameChars) {
    throw new TypeError(`The name of a step or sleep must be a string of 1 to ${maxNameChars} characters.`);
  }
  let key = name;
  for (let use = 2; taken.has(key); use += 1) key = `${name}#${use}`;
  taken.add(key);
  return key;
}

export function findStored(
  stored: ReadonlyMap<string, StepRecord>,
  key: string,
  kind: StepRecord["kind"],
): StepRecord | undefined {
  const record = stored.get(key);
  if (!record || record.kind === kind) return record;
  throw new FinalFailure(
    "StepChanged",
    `${key} was a ${record.kind} when this run started, but is a ${kind} now. Give it another name and continue the run with \`signalbox runs resume\`, or replay the run.`,
  );
}

/**
 * Returns stored results in the order in which they first resolved. Concurrent calls (`Promise.race` of a step and a
 * sleep) must resolve in the same order when the code runs again. So they are collected for one turn of the event loop
 * and then resolved one by one.
 */
export function createOrderedResults(): { give<T>(result: T, finishedAt: number): Promise<T> } {
  const waiting: { finishedAt: number; resolve: () => void }[] = [];
  let isPlanned = false;

  function giveNext(): void {
    waiting.sort((a, b) => a.finishedAt - b.finishedAt);
    const next = waiting.shift();
    isPlanned = waiting.length > 0;
    if (isPlanned) setImmediate(giveNext);
    next?.resolve();
  }

  return {
    give: (result, finishedAt) =>
      new Promise((resolve) => {
        waiting.push({ finishedAt, resolve: () => resolve(result) });
        if (isPlanned) return;
        isPlanned = true;
        setImmediate(giveNext);
      }),
  };
}
