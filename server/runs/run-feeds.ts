import { createHash } from "node:crypto";
import type { AgentLive } from "../contract/agent/trace.ts";
import type { RunSummary } from "../contract/run.ts";
import type { TimelineEntry } from "../contract/timeline.ts";
import { isEnded } from "../shared/runs/run-state.ts";
import type { Feed } from "../ports/feed.ts";
import type { EngineStore } from "../ports/store/engine-store.ts";
import type { RunStore } from "../ports/store/run-store.ts";
import { readLive } from "./agent-runs.ts";

const batch = 500;

/** The timeline of a run after an entry. The position of an event is the id of its last entry. */
export function createTimelineFeed(
  { store }: { store: Pick<RunStore, "listTimeline"> },
  { run, after }: { run: string; after: string | null },
): Feed<TimelineEntry[]> {
  let last = Number(after ?? 0);
  return {
    async look(has) {
      if (!has("runs")) return null;
      const data = await readEntries(store, run, last);
      if (data.length === 0) return null;
      last = data.at(-1)?.id ?? last;
      return { after: String(last), data };
    },
  };
}

async function readEntries(
  store: Pick<RunStore, "listTimeline">,
  run: string,
  after: number,
): Promise<TimelineEntry[]> {
  const found: TimelineEntry[] = [];
  for (;;) {
    const page = await store.listTimeline(run, { after: found.at(-1)?.id ?? after, limit: batch });
    found.push(...page);
    if (page.length < batch) return found;
  }
}

/** The live output of the model of an agent's run; `null`: none. */
export function createWordsFeed(
  deps: { store: Pick<EngineStore, "getLive"> },
  { run, after }: { run: string; after: string | null },
): Feed<AgentLive | null> {
  const none = "";
  let last = after ?? none;
  return {
    async look(has) {
      if (!has("live") && !has("runs")) return null;
      const data = await readLive(deps, run);
      const next = data ? `${data.step} ${data.attempt} ${data.updatedAt}` : none;
      if (next === last) return null;
      last = next;
      return { after: next, data };
    },
  };
}

/** What a reader knows of the runs that it shows: by id, a hash of the run and the id of the last entry. */
export type KnownRuns = Record<string, [hash: string, lastEntry: number]>;

/** Finds the runs that changed among those that a reader shows. */
export function createRunWatch(
  { store }: { store: Pick<RunStore, "findRuns" | "listTimeline"> },
  p: { openRuns: readonly string[]; endedRuns: readonly string[]; known: KnownRuns },
): { known: () => KnownRuns; look(): Promise<string[]> } {
  const wasOpen = new Set(p.openRuns);
  const ids = [...new Set([...p.openRuns, ...p.endedRuns])];
  let known = p.known;
  const describe = async (run: RunSummary): Promise<[string, number]> => {
    const hash = createHash("sha256").update(JSON.stringify(run)).digest("base64url").slice(0, 8);
    const last = known[run.id]?.[1] ?? 0;
    // The conversation of an agent changes with each of its steps.
    const isAnswering = run.target.kind === "agent" && !isEnded(run.status);
    return [hash, isAnswering ? ((await readEntries(store, run.id, last)).at(-1)?.id ?? last) : last];
  };
  return {
    known: () => known,
    async look() {
      if (ids.length === 0) return [];
      const changed: string[] = [];
      const next: KnownRuns = {};
      for (const run of await store.findRuns(ids)) {
        const [before, now] = [known[run.id], await describe(run)];
        next[run.id] = now;
        // A run that had ended for the reader, and has ended, is not read again.
        const isNew = before === undefined && (wasOpen.has(run.id) || !isEnded(run.status));
        if (isNew || (before !== undefined && String(before) !== String(now))) changed.push(run.id);
      }
      known = next;
      return changed;
    },
  };
}
