import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { childLinkCodes } from "../../domain/runs/child-runs.ts";
import { keySlotCodes } from "../../domain/runs/key-slots.ts";
import {
  deliveryOutcomeCodes,
  logLevelCodes,
  runStatusCodes,
  startedByCodes,
  stepKindCodes,
  targetKindCodes,
  timelineKindCodes,
} from "../../domain/stored-codes.ts";
import { type CopiedColumn, type CopiedTable, planCopy } from "../copy/copy-plan.ts";
import type { Value } from "../copy/row.ts";
import { createSqliteTables } from "../copy/sqlite-tables.ts";
import * as schema from "../postgres/schema.ts";
import type { Connection } from "../sqlite/file/open-connection.ts";

const texts = [
  "plain",
  "\0zero",
  "\ufffemark\ufffe0000",
  "日本 😀",
  " ",
  "\u0001\uffff'\"\\",
  "\ufffe",
  "x".repeat(3000),
];
const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

/** Columns that SQLite stores as numbers accept only these names. */
const codes = new Map<string, object>([
  ["delivery.outcome", deliveryOutcomeCodes],
  ["run.status", runStatusCodes],
  ["run.target_kind", targetKindCodes],
  ["run.started_by", startedByCodes],
  ["run.key_slot", keySlotCodes],
  ["run.child_link", childLinkCodes],
  ["run_step.kind", stepKindCodes],
  ["run_event.kind", timelineKindCodes],
  ["run_event.level", logLevelCodes],
]);

type Fields = Record<string, Value>;

/**
 * Inserts rows into every table of the schema, also into future ones: any values that the database accepts, whether or
 * not the store would write them.
 */
export function fillEveryTable(connection: Connection, rows: number): void {
  const tables = Object.values(schema).flatMap((table) => (is(table, PgTable) ? [table] : []));
  const sqlite = createSqliteTables(connection);
  const deliveries: Fields[] = [];
  connection.transaction(() => {
    for (const plan of planCopy()) {
      const table = tables.find((one) => getTableName(one) === plan.name);
      if (!table) continue;
      for (let row = 0; row < rows; row += 1) {
        const fields = fieldsOf(table, plan, row);
        if (plan.name === "delivery") deliveries.push(fields);
        sqlite.of(plan).insert(plan.columns.map(({ name }) => fields[name] ?? null));
      }
    }
  })();

  function fieldsOf(table: PgTable, plan: CopiedTable, row: number): Fields {
    const fields: Fields = Object.fromEntries(
      plan.columns.map((column, at) => [column.name, valueOf(table, column, { row, at })] as const),
    );
    if (plan.name === "run_event") return { ...fields, ordinal: 1, ...(row % 4 === 0 ? impliedByItsRun(row) : {}) };
    if (plan.name !== "idempotency_key") return fields;
    // The row of a key repeats columns of its delivery.
    const { endpoint = null, body_sha256 = null, received_at = null } = deliveries[row] ?? {};
    return { ...fields, endpoint, body_sha256, accepted_at: received_at };
  }
}

/** `queued`, at the time when the run was created. */
function impliedByItsRun(row: number): Fields {
  const absent = { name: null, level: null, message: null, duration_ms: null, until: null, error: null, data: null };
  return { ...absent, at: Number.MAX_SAFE_INTEGER - row, kind: "queued", attempt: 0 };
}

function valueOf(
  table: PgTable,
  { name: column, type }: CopiedColumn,
  { row, at }: { row: number; at: number },
): Value {
  const { name, columns, foreignKeys } = getTableConfig(table);
  const isKey = foreignKeys.some((key) => key.reference().columns.some((one) => one.name === column));
  const isOptional = columns.find((one) => one.name === column)?.notNull === false;
  if (isOptional && (row + at) % 3 === 0) return null;
  const coded = Object.keys(codes.get(`${name}.${column}`) ?? {});
  if (coded.length > 0) return coded[row % coded.length] ?? null;
  if (column === "verdicts" && type === "text") return JSON.stringify(verdictsOf(row));
  if (column === "counts") return "[]";
  if (type === "bytea") return Buffer.concat([allBytes, Buffer.from(String(row))]);
  if (type === "bool") return row % 2 === 1;
  if (type === "float8") return row / 7;
  // References are to the row of the same number.
  if (type === "text")
    return isKey || column === "id" ? `id ${row}` : `${texts[(row + at) % texts.length] ?? ""} ${row}`;
  if (type === "int4") return 2 ** 31 - 1 - row;
  return isKey || column === "id" || column === "position" ? row + 1 : Number.MAX_SAFE_INTEGER - row;
}

function verdictsOf(row: number): unknown[] {
  const reason = { pointer: "/a", code: "c", message: "m", expected: null, actual: '"x"' };
  return [
    { unlisted: [{ outcome: "disabled", pointer: null, actual: null, count: row + 1 }] },
    {
      trigger: `t${row}\0`,
      attachmentId: `t${row}\0:w`,
      target: { kind: "workflow", slug: "w" },
      outcome: "matched",
      runId: row % 2 === 0 ? `id ${row}` : "run_01K9ZR7M3QABCDEFGHJKMNPQRS",
      reasons: row % 3 === 0 ? [reason] : [],
    },
  ];
}
