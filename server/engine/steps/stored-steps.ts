import type { StepRecord } from "../../ports/store/engine-store.ts";
import { FinalFailure, wrongCall } from "../run-errors.ts";

const maxNameChars = 200;

/**
 * Returns a function that gives each step or sleep its key. Repeated names are numbered in the order of the calls: the
 * second `a` is `a#2`. Throws a TypeError if a name is invalid.
 */
export function createNames(): (name: unknown, call?: string) => string {
  const taken = new Set<string>();
  /** The number of the last use of a name. */
  const uses = new Map<string, number>();
  return (name, call = "ctx.step") => {
    if (typeof name !== "string" || name === "" || name.length > maxNameChars)
      throw wrongCall(`${call}: the name must be a string of 1 to ${maxNameChars} characters.`);
    let use = (uses.get(name) ?? 0) + 1;
    const keyOf = () => (use === 1 ? name : `${name}#${use}`);
    while (taken.has(keyOf())) use += 1;
    uses.set(name, use);
    taken.add(keyOf());
    return keyOf();
  };
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
