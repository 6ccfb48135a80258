import { limitTo } from "../../server/store/testing/factories.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ClaimedRun } from "../../server/ports/store/engine-store.ts";
import type { Store } from "../../server/ports/store.ts";
import { openSqliteStore } from "../../server/store/sqlite/open-store.ts";
import { type BenchWorkflow, queueRuns } from "./bench-project.ts";
import { median } from "./statistics.ts";

export interface ClaimCost {
  /** The runs that wait while claims are made. */
  backlog: string;
  /** CPU microseconds per run of claiming and releasing 20 runs. */
  cpuUs: number;
  toFirst: number;
  /** CPU milliseconds of listing the newest 50 runs. */
  pageMs: number;
  pageToFirst: number;
}

interface Backlog {
  name: string;
  queued: number;
  asleep: number;
  /** The same number, of a target that has reached its `concurrency`. */
  limited: number;
}

const backlogs = (most: number): Backlog[] => [
  { name: "100 queued", queued: 100, asleep: 0, limited: 0 },
  { name: `${most / 10} queued`, queued: most / 10, asleep: 0, limited: 0 },
  { name: `${most} queued`, queued: most, asleep: 0, limited: 0 },
  { name: `100 queued, ${most} asleep`, queued: 100, asleep: most, limited: 0 },
  { name: `100 queued, ${most} behind a limit`, queued: 100, asleep: 0, limited: most },
];

const batch = 20;
/** A single one is too short for the kernel's CPU accounting. */
const pagesAtATime = 20;

/** Claims against backlogs of every size, in turns, so that a slow moment affects them equally. */
export async function measureClaims(p: { most: number; rounds: number }): Promise<ClaimCost[]> {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-bench-claims-"));
  try {
    const stages: { name: string; store: Store; claims: number[]; pages: number[] }[] = [];
    for (const [at, backlog] of backlogs(p.most).entries())
      stages.push({ name: backlog.name, store: await fill(join(folder, `${at}.db`), backlog), claims: [], pages: [] });
    for (let round = -3; round < p.rounds; round += 1) {
      for (const { store, claims, pages } of stages) {
        const [claim, page] = [await cpuOf(() => claimAndGiveBack(store)), await cpuOf(() => readPages(store))];
        if (round < 0) continue;
        claims.push(claim / batch);
        pages.push(page / pagesAtATime / 1000);
      }
    }
    await Promise.all(stages.map(({ store }) => store.close()));
    const [first] = stages;
    return stages.map(({ name, claims, pages }) => {
      const [cpuUs, pageMs] = [median(claims), median(pages)];
      return {
        backlog: name,
        cpuUs,
        toFirst: cpuUs / median(first?.claims ?? []),
        pageMs,
        pageToFirst: pageMs / median(first?.pages ?? []),
      };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(file: string, { queued, asleep, limited }: Backlog): Promise<Store> {
  const store = await openSqliteStore({ file });
  await queueAll(store, "sleeper", asleep);
  for (let left = asleep; left > 0; left -= 1_000) await putToSleep(store, await claim(store, 1_000));
  await queueAll(store, "narrow", limited);
  if (limited > 0) await claim(store, narrow);
  await queueAll(store, "trivial", queued);
  return store;
}

const narrow = 5;
const limits = limitTo({ "workflow:narrow": narrow });
const queueAll = (store: Store, slug: BenchWorkflow, count: number) => queueRuns(store, { slug, count });
const claim = (store: Store, limit: number) =>
  store.claimRuns({
    slots: Array.from({ length: limit }, () => "wrk_bench"),
    now: Date.now(),
    leaseMs: 3_600_000,
    limits,
    pool: "shared",
  });

async function putToSleep(store: Store, runs: readonly ClaimedRun[]): Promise<void> {
  const now = Date.now();
  await Promise.all(
    runs.map(({ id, token }) =>
      store.writeProgress({
        runId: id,
        token,
        now,
        entries: [],
        transition: { to: "waiting", reason: "sleep", availableAt: now + 7 * 86_400_000 },
      }),
    ),
  );
}

async function claimAndGiveBack(store: Store): Promise<void> {
  const runs = await claim(store, batch);
  if (runs.length !== batch) throw new Error(`${runs.length} runs were due, not ${batch}`);
  await Promise.all(
    runs.map(({ id, token }) =>
      store.writeProgress({ runId: id, token, now: Date.now(), entries: [], transition: { to: "queued" } }),
    ),
  );
}

async function readPages(store: Store): Promise<void> {
  for (let page = 0; page < pagesAtATime; page += 1) await store.listRuns({}, { limit: 50, cursor: null });
}

async function cpuOf(act: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await act();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
