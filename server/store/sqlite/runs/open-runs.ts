import { createDecoder, stepKindCodes } from "../../../domain/stored-codes.ts";
import type { Packed } from "../../../domain/ids.ts";
import type { OpenRunRecord, OpenRunStore } from "../../../ports/store/open-run-store.ts";
import type { SqliteDatabase } from "../database.ts";
import { inputSql, isOpenSql, readTarget, runId } from "../stored-forms.ts";

const countSql = `SELECT version, count(*) AS runs FROM run INDEXED BY run_open WHERE ${isOpenSql} GROUP BY version`;
const listSql = `
  SELECT id, version, target, attachment FROM run INDEXED BY run_open WHERE ${isOpenSql} ORDER BY seq LIMIT (SELECT ?)`;
const readSql = `SELECT seq, ${inputSql} AS input FROM run WHERE id = ? AND ${isOpenSql}`;
const stepsSql = "SELECT name, kind FROM run_step WHERE run = ? ORDER BY position";

interface ListRow {
  id: Packed;
  version: number;
  target: number;
  attachment: number | null;
}

const kindOf = createDecoder(stepKindCodes);

export function createOpenRunStore({ connection, names, read }: SqliteDatabase): OpenRunStore {
  return {
    countOpenRunsByVersion: () =>
      read(() => {
        const rows = connection.prepare<unknown[], { version: number; runs: number }>(countSql).all();
        return new Map(rows.map(({ version, runs }) => [names.textOf(version), runs]));
      }),
    listOpenRuns: ({ limit }) =>
      read(() =>
        connection
          .prepare<unknown[], ListRow>(listSql)
          .all(limit)
          .map(({ id, version, target, attachment }) => ({
            id: runId.unpack(id),
            version: names.textOf(version),
            target: readTarget(names.textOf(target)),
            attachmentId: attachment === null ? null : names.textOf(attachment),
          })),
      ),
    readOpenRuns: (ids) =>
      read(() => {
        const find = connection.prepare<unknown[], { seq: number; input: string | null }>(readSql);
        const listSteps = connection.prepare<unknown[], { name: string; kind: number }>(stepsSql);
        return ids.flatMap((id): OpenRunRecord[] => {
          const row = find.get(runId.pack(id));
          if (!row) return [];
          const steps = listSteps.all(row.seq).map(({ name, kind }) => ({ name, kind: kindOf(kind) }));
          return [{ id, input: row.input === null ? null : JSON.parse(row.input), steps }];
        });
      }),
  };
}
