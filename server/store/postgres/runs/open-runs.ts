import type { TargetKind } from "../../../contract/project/target.ts";
import type { OpenRunRecord, OpenRunStore } from "../../../ports/store/open-run-store.ts";
import type { PostgresDatabase } from "../database.ts";
import { isOpenSql } from "../schema.ts";

const countSql = `SELECT version, count(*)::int AS runs FROM signalbox.run WHERE ${isOpenSql} GROUP BY version`;
const listSql = `
  SELECT id, version, target_kind AS kind, target_slug AS slug, attachment_id AS "attachmentId" FROM signalbox.run
  WHERE ${isOpenSql} ORDER BY created_at, id LIMIT $1`;
const readSql = `SELECT id, input FROM signalbox.run WHERE id = ANY($1::text[]) AND ${isOpenSql}`;
const stepsSql = `SELECT run_id AS "runId", name, kind FROM signalbox.run_step WHERE run_id = ANY($1::text[]) ORDER BY position`;

interface ListRow {
  id: string;
  version: string;
  kind: TargetKind;
  slug: string;
  attachmentId: string | null;
}

interface StepRow {
  runId: string;
  name: string;
  kind: OpenRunRecord["steps"][number]["kind"];
}

export function createOpenRunStore({ read }: Pick<PostgresDatabase, "read">): OpenRunStore {
  return {
    countOpenRunsByVersion: async () => {
      const rows = await read((session) => session.rows<{ version: string; runs: number }>(countSql));
      return new Map(rows.map(({ version, runs }) => [version, runs]));
    },
    listOpenRuns: async ({ limit }) => {
      const rows = await read((session) => session.rows<ListRow>(listSql, [limit]));
      return rows.map(({ kind, slug, ...row }) => ({ ...row, target: { kind, slug } }));
    },
    readOpenRuns: (ids) =>
      read(async (session) => {
        const rows = await session.rows<{ id: string; input: string | null }>(readSql, [[...ids]]);
        const steps = Map.groupBy(await session.rows<StepRow>(stepsSql, [[...ids]]), ({ runId }) => runId);
        return rows.map(({ id, input }) => ({
          id,
          input: input === null ? null : JSON.parse(input),
          steps: (steps.get(id) ?? []).map(({ name, kind }) => ({ name, kind })),
        }));
      }),
  };
}
