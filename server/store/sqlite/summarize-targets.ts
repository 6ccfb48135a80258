import { eq } from "drizzle-orm";
import type { RunStatus } from "../../contract/run.ts";
import type { Target } from "../../contract/project/target.ts";
import type { TargetSummary, TrafficStore } from "../../ports/store/traffic-store.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import { summarizeRuns } from "../shared/summarize-runs.ts";
import type { SqliteDatabase } from "./database.ts";
import { runSummaryColumns } from "./list-runs.ts";
import { run } from "./schema.ts";

const mostRuns = 200;

interface RecentRow {
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}

/** One more than is summed up tells whether there are more. All of it stands in the index. */
export const recentRunsSql = `
  SELECT status, started_at AS startedAt, finished_at AS finishedAt FROM run INDEXED BY run_by_target
  WHERE target_slug = @slug AND target_kind = @kind AND created_at >= @since ORDER BY created_at DESC, id DESC LIMIT ${mostRuns + 1}`;

export const lastRunSql = `
  SELECT id FROM run INDEXED BY run_by_target WHERE target_slug = @slug AND target_kind = @kind ORDER BY created_at DESC, id DESC LIMIT 1`;

export function summarizeTargets(
  database: SqliteDatabase,
  p: Parameters<TrafficStore["summarizeTargets"]>[0],
): TargetSummary[] {
  const { connection, db } = database;
  const recentRuns = connection.prepare<unknown[], RecentRow>(recentRunsSql);
  const lastRun = connection.prepare<unknown[], string>(lastRunSql).pluck();
  return p.targets.map((target: Target) => {
    const recent = recentRuns.all({ ...target, since: p.since });
    const lastId = lastRun.get(target);
    const last =
      lastId === undefined ? undefined : db.select(runSummaryColumns).from(run).where(eq(run.id, lastId)).get();
    return { target, ...summarizeRuns(recent, mostRuns), lastRun: last ? toRunSummary(last) : null };
  });
}
