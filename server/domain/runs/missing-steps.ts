import type { StepCall } from "../../contract/project/manifest.ts";

/** The number of a repeated name: `send#2`. */
const repetition = /#\d+$/;

/**
 * The recorded steps, sleeps and waits of a run whose calls are in the code of one build, but no longer in that of
 * another. They were removed or renamed, or a step became a sleep. Names that the code computes are in neither.
 */
export function findMissingSteps(
  recorded: readonly { kind: string; name: string }[],
  { before, after }: { before: readonly StepCall[]; after: readonly StepCall[] },
): StepCall[] {
  const names = new Map<string, StepCall>();
  for (const { kind, name } of recorded)
    if (kind === "step" || kind === "sleep" || kind === "event") {
      const call: StepCall = { kind, name: name.replace(repetition, "") };
      names.set(`${call.kind} ${call.name}`, call);
    }
  return [...names.values()].filter((call) => has(before, call) && !has(after, call));
}

function has(calls: readonly StepCall[], { kind, name }: StepCall): boolean {
  return calls.some((one) => one.kind === kind && one.name === name);
}
