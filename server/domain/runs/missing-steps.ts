import { type StepCall, stepCallSchema } from "../../contract/project/manifest.ts";

/** The number of a repeated name: `send#2`. */
const repetition = /#\d+$/;

/**
 * The recorded steps, sleeps, waits and child runs of a run whose calls are in the code of one build, but no longer in
 * that of another. They were removed or renamed, or a step became a sleep. Names that the code computes are in
 * neither.
 */
export function findMissingSteps(
  recorded: readonly { kind: string; name: string }[],
  { before, after }: { before: readonly StepCall[]; after: readonly StepCall[] },
): StepCall[] {
  const names = new Map<string, StepCall>();
  for (const { kind, name } of recorded) {
    const called = stepCallSchema.safeParse({ kind, name: name.replace(repetition, "") });
    // An approval is no call of the code.
    if (called.success) names.set(`${called.data.kind} ${called.data.name}`, called.data);
  }
  return [...names.values()].filter((call) => has(before, call) && !has(after, call));
}

function has(calls: readonly StepCall[], { kind, name }: StepCall): boolean {
  return calls.some((one) => one.kind === kind && one.name === name);
}
