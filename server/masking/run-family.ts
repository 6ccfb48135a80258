import type { Run, RunSummary } from "../contract/run.ts";
import { targetName } from "../contract/project/target.ts";
import { concernsRun } from "../domain/privacy/mask-run.ts";
import type { SensitiveRules } from "../domain/privacy/sensitive-rules.ts";
import { type EventResult, readEventResult } from "../domain/runs/event-waits.ts";
import type { Descendant } from "../ports/store/engine-store.ts";
import type { Store } from "../ports/store.ts";

type FamilyRun = Pick<RunSummary, "id" | "trigger" | "target" | "childOf" | "failureOf" | "replayOf">;

/** A run with sensitive values. */
interface ConcernedRun {
  id: string;
  events: EventResult[];
}

/** Of one family. Further runs are not read. */
const maxDescendants = 50_000;
/** Their values are in memory together. */
const maxConcerned = 1_000;

/**
 * Finds the runs whose sensitive values a run can have: itself, and the runs that it replays or whose failure it
 * reports. All runs of their families are among them, because runs pass values to their child runs, and get their
 * outputs. Families that several runs share are read once.
 */
export function createFamilyReader(store: Store, rules: SensitiveRules): (run: FamilyRun) => Promise<ConcernedRun[]> {
  const families = new Map<string, Promise<Descendant[]>>();
  const listDescendants = (runId: string) => {
    const known = families.get(runId) ?? store.listDescendants({ runId, limit: maxDescendants });
    families.set(runId, known);
    return known;
  };

  async function findConcerned({ id, ...run }: Pick<Run, "id" | "trigger" | "target">): Promise<ConcernedRun[]> {
    const events = await readEvents(store, id);
    return concernsRun(rules, run, events) ? [{ id, events }] : [];
  }

  return async (run) => {
    const ancestry = await readAncestry(store, run);
    const concerned = await Promise.all(ancestry.map(findConcerned));
    const known = new Set(ancestry.map(({ id }) => id));
    for (const root of ancestry.filter(({ childOf }) => childOf === null || !known.has(childOf))) {
      const candidates = (await listDescendants(root.id)).filter(
        ({ runId, target, hasEvents }) => !known.has(runId) && (hasEvents || rules.targets.has(targetName(target))),
      );
      const found = candidates.slice(0, maxConcerned).map(({ runId: id, target }) => {
        known.add(id);
        return findConcerned({ id, target, trigger: null });
      });
      concerned.push(...(await Promise.all(found)));
    }
    return concerned.flat();
  };
}

/** The run, its parents, and the runs that these replay or whose failure they report. Removed runs are left out. */
async function readAncestry(store: Store, run: FamilyRun): Promise<FamilyRun[]> {
  const known = new Map<string, FamilyRun>();
  for (let runs: readonly FamilyRun[] = [run]; runs.length > 0;) {
    for (const one of runs) known.set(one.id, one);
    const ids = runs.flatMap(({ childOf, failureOf, replayOf }) => [childOf, failureOf, replayOf]);
    const unknown = new Set(ids.filter((id) => id !== null && !known.has(id)));
    runs = unknown.size === 0 ? [] : await store.findRuns([...unknown].filter((id) => id !== null));
  }
  return [...known.values()];
}

/** The events of a run have the sensitive values of their sources. */
async function readEvents(store: Store, runId: string): Promise<EventResult[]> {
  return (await store.listEventResults(runId)).flatMap((result) => readEventResult(result) ?? []);
}
