import type { RunStatus } from "../../contract/run.ts";
import type { TargetSummary, TrafficStore } from "../../ports/store/traffic-store.ts";
import { toRunSummary } from "../shared/run-shapes.ts";
import { summarizeRuns } from "../shared/summarize-runs.ts";
import { readRunRows } from "./list-runs.ts";
import type { Session } from "./session.ts";

const mostRuns = 200;

/** One more than is summed up tells whether there are more. */
const recentRunsSql = `
  SELECT t.place, r.* FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (slug, kind, place) CROSS JOIN LATERAL (
    SELECT status, started_at AS "startedAt", finished_at AS "finishedAt" FROM run
    WHERE target_slug = t.slug AND target_kind = t.kind AND created_at >= $3 ORDER BY created_at DESC, id DESC LIMIT ${mostRuns + 1}
  ) AS r`;

const lastRunsSql = `
  SELECT t.place, r.id FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t (slug, kind, place) CROSS JOIN LATERAL (
    SELECT id FROM run WHERE target_slug = t.slug AND target_kind = t.kind ORDER BY created_at DESC, id DESC LIMIT 1
  ) AS r`;

interface RecentRow {
  place: number;
  status: RunStatus;
  startedAt: number | null;
  finishedAt: number | null;
}

export async function summarizeTargets(
  session: Session,
  { targets, since }: Parameters<TrafficStore["summarizeTargets"]>[0],
): Promise<TargetSummary[]> {
  const values = [targets.map(({ slug }) => slug), targets.map(({ kind }) => kind)];
  const recent = Map.groupBy(await session.rows<RecentRow>(recentRunsSql, [...values, since]), ({ place }) => place);
  const last = new Map(
    (await session.rows<{ place: number; id: string }>(lastRunsSql, values)).map(({ place, id }) => [place, id]),
  );
  const rows = new Map((await readRunRows(session, [...last.values()])).map((row) => [row.id, row]));
  return targets.map((target, at) => {
    const row = rows.get(last.get(at + 1) ?? "");
    return { target, ...summarizeRuns(recent.get(at + 1) ?? [], mostRuns), lastRun: row ? toRunSummary(row) : null };
  });
}
