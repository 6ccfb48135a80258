import type { DueRuns } from "../../../domain/runs/blocked-work.ts";
import { runStatusCodes } from "../../../domain/stored-codes.ts";
import type { EngineStore } from "../../../ports/store/engine-store.ts";
import type { Connection } from "../file/open-connection.ts";
import { isOpenSql } from "../stored-forms.ts";
import { isDueSql, openTargetsSql, prepareCountRoom } from "./claim-runs.ts";

const { queued, waiting } = runStatusCodes;

const ofTarget = (status: number) =>
  `FROM run INDEXED BY run_open WHERE ${isOpenSql} AND status = ${status} AND is_isolated = (SELECT :isolated) AND target = (SELECT :target)`;

/** A run that was returned to the queue keeps its position. It is due since the last entry of its timeline. */
const returnedAtSql = "(SELECT at FROM run_event WHERE run_event.run = run.seq ORDER BY position DESC LIMIT 1)";

export const countDueSql = {
  queued: `
  SELECT count(*) AS runs, min(due_at) AS oldestAt FROM (
    SELECT CASE WHEN attempt = 0 THEN available_at ELSE max(available_at, coalesce(${returnedAtSql}, 0)) END AS due_at
    ${ofTarget(queued)} AND ${isDueSql} ORDER BY available_at, seq LIMIT (SELECT :limit)
  )`,
  waiting: `
  SELECT count(*) AS runs, min(available_at) AS oldestAt FROM (
    SELECT available_at ${ofTarget(waiting)} AND available_at <= (SELECT :now)
    ORDER BY available_at, seq LIMIT (SELECT :limit)
  )`,
};

interface CountRow {
  runs: number;
  oldestAt: number | null;
}

type Read = (p: Parameters<EngineStore["listDueRuns"]>[0]) => DueRuns[];

/** Every worker of a file takes the runs of all versions. */
export function prepareListDueRuns(connection: Connection): Read {
  const statuses = ["queued", "waiting"] as const;
  const queries = statuses.map((status) => ({
    status,
    targets: connection.prepare<unknown[], number>(openTargetsSql[status]).pluck(),
    count: connection.prepare<unknown[], CountRow>(countDueSql[status]),
  }));
  const countRoom = prepareCountRoom(connection);
  const nameOf = connection.prepare<[number], string>("SELECT text FROM name WHERE id = ?").pluck();

  function countIn(isolated: number, p: Parameters<Read>[0]): CountRow {
    const { limits, limit: atMost, now } = p;
    const counts = queries.flatMap(({ status, targets, count }) =>
      targets.all({ isolated }).flatMap((target) => {
        const limit = countRoom({ limits, target, name: nameOf.get(target) ?? "", atMost })[status];
        return limit <= 0 ? [] : (count.get({ isolated, target, limit, now }) ?? []);
      }),
    );
    const times = counts.flatMap(({ oldestAt }) => oldestAt ?? []);
    return {
      runs: counts.reduce((sum, { runs }) => sum + runs, 0),
      oldestAt: times.length > 0 ? Math.min(...times) : null,
    };
  }

  return (p) =>
    p.pools.flatMap((pool) => {
      const { runs, oldestAt } = countIn(pool === "isolated" ? 1 : 0, p);
      return oldestAt === null ? [] : [{ pool, version: null, runs, oldestAt: Math.min(oldestAt, p.now) }];
    });
}
