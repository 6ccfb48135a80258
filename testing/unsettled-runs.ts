import type { Run } from "../server/contract/run.ts";
import type { ConcurrencyLimits } from "../server/domain/runs/run-limits.ts";
import type { StepRecord } from "../server/ports/store/engine-store.ts";
import type { Store } from "../server/ports/store.ts";
import { isEnded } from "../server/shared/runs/run-state.ts";
import { listAll } from "./read-run.ts";

type RunStatusOf = Pick<Run, "id" | "status">;

const idsAtOnce = 100;

/**
 * The open runs among these, with the runs of their `onFailure` and their child runs. Runs that wait for an approval or
 * an event are left out, and so are those that wait for such a child run. `wanted: null`: of all runs.
 */
export async function listUnsettled(p: {
  store: Store;
  limits: ConcurrencyLimits;
  now: number;
  wanted: readonly string[] | null;
}): Promise<string[]> {
  const { store, limits, now, wanted } = p;
  const needApproval = await listAll((page) => store.listRuns({ needsApproval: true }, page));
  const waiting = new Set(needApproval.map(({ id }) => id));
  const runs = await (wanted === null ? listOpen(store) : listFamilies(store, wanted));
  const open = runs.filter(({ status }) => !isEnded(status));
  for (let from = 0; from < open.length; from += idsAtOnce) {
    const ids = open.slice(from, from + idsAtOnce).map(({ id }) => id);
    for (const [id, { waitsFor }] of await store.findWaits({ ids, limits, now }))
      // The child runs are among these runs.
      if (waitsFor?.kind === "event" || (waitsFor?.kind === "child" && !(await hasDueTime(store, id)))) waiting.add(id);
  }
  return open.filter(({ id }) => !waiting.has(id)).map(({ id }) => id);
}

/** Whether a run that has open child runs also continues at a known time, for example after a sleep. */
async function hasDueTime(store: Store, id: string): Promise<boolean> {
  return (await store.loadSteps(id)).some(isPending);
}

const isPending = ({ kind, finishedAt, until }: StepRecord) =>
  (kind === "sleep" || kind === "step") && finishedAt === null && until !== null;

/** Runs with those of their `onFailure`, and with their child runs and those of these. */
async function listFamilies(store: Store, ids: readonly string[]): Promise<RunStatusOf[]> {
  const found = new Map<string, RunStatusOf>();
  const asked = await Promise.all(ids.map((id) => store.getRun(id)));
  const pending: RunStatusOf[] = asked.filter((run) => run !== null);
  for (let run = pending.pop(); run; run = pending.pop()) {
    if (found.has(run.id)) continue;
    const { id } = run;
    found.set(id, run);
    for (const filter of [{ failureOf: id }, { childOf: id }])
      pending.push(...(await listAll((page) => store.listRuns(filter, page))));
  }
  return [...found.values()];
}

async function listOpen(store: Store): Promise<RunStatusOf[]> {
  const statuses = ["queued", "running", "waiting"] as const;
  const lists = statuses.map((status) => listAll((page) => store.listRuns({ status }, page)));
  return (await Promise.all(lists)).flat();
}
