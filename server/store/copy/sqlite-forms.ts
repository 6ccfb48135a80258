import { childLinkCodes } from "../../domain/runs/child-runs.ts";
import { keySlotCodes } from "../../domain/runs/key-slots.ts";
import {
  type Codes,
  createDecoder,
  deliveryOutcomeCodes,
  logLevelCodes,
  runStatusCodes,
  startedByCodes,
  stepKindCodes,
  targetKindCodes,
  timelineKindCodes,
} from "../../domain/stored-codes.ts";
import { readStoredVerdicts, toStoredVerdicts } from "../shared/stored-verdicts.ts";
import type { Names } from "../sqlite/names.ts";
import { type Packed, packedHex, packedId, type PackedText, packedUuid } from "../../domain/ids.ts";
import { inputSql, payloadSql, sameAsBody, sameAsPayload } from "../sqlite/stored-forms.ts";
import { packVerdicts, unpackVerdicts } from "../sqlite/deliveries/verdicts.ts";
import type { Value } from "./row.ts";

/** How SQLite stores a column of a copied row in one of its narrow tables. */
interface ColumnForm {
  /** The expression to read. */
  sql: string;
  /** The column to write, and its value: `?` is the copied one. */
  into: { column: string; value: string };
  read(stored: Value, names: Names): Value;
  write(value: Value, names: Names): Value;
}

/** A table whose rows SQLite stores in another form. */
export interface TableForm {
  from: string;
  /** A number that orders the rows. */
  key: string;
  columns: Readonly<Record<string, ColumnForm>>;
  /** An UPDATE instead of an INSERT: the rows are a part of other rows. */
  update?: { sql: string; columns: readonly string[] };
}

type Convert = Pick<ColumnForm, "read" | "write">;

const same: Convert = { read: (value) => value, write: (value) => value };
const bool: Convert = { read: (value) => value === 1, write: Number };
const named: Convert = {
  read: (value, names) => names.textOf(Number(value)),
  write: (value, names) => names.idOf(String(value)),
};
/** The name can come from a rejected request. A name of the project is kept as soon as the project uses it. */
const looselyNamed: Convert = { ...named, write: (value, names) => names.looseIdOf(String(value)) };
const packed = ({ pack, unpack }: PackedText): Convert => ({
  // The store wrote this value.
  read: (value) => unpack(value as Packed),
  write: (value) => pack(String(value)),
});
const coded = <Name extends string>(codes: Codes<Name>): Convert => {
  const decode = createDecoder(codes);
  return {
    read: (value) => decode(Number(value)),
    write(value) {
      const code = new Map<string, number>(Object.entries(codes)).get(String(value));
      if (code === undefined) throw new Error(`The store has no number for ${String(value)}.`);
      return code;
    },
  };
};
const verdicts: Convert = {
  read: (value, names) => JSON.stringify(toStoredVerdicts(unpackVerdicts(String(value), names))),
  write: (value, names) => packVerdicts(readStoredVerdicts(JSON.parse(String(value))), names),
};

/** `sql`: the expression to read. Default: the column. `value`: the expression to write. NULL stays NULL. */
function column(name: string, { read, write }: Convert = same, p: { sql?: string; value?: string } = {}): ColumnForm {
  return {
    sql: p.sql ?? name,
    into: { column: name, value: p.value ?? "?" },
    read: (value, names) => (value === null ? null : read(value, names)),
    write: (value, names) => (value === null ? null : write(value, names)),
  };
}

function plain(...names: string[]): Record<string, ColumnForm> {
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

const [deliveryId, runId] = [packed(packedId("dlv")), packed(packedId("run"))];
const hex = packed(packedHex);
const runOf = column("run", runId, { sql: "run.id", value: "(SELECT seq FROM run WHERE id = ?)" });

const delivery: TableForm = {
  from: "delivery",
  key: "seq",
  columns: {
    ...plain("received_at", "response_status", "duration_ms", "body_bytes", "headers", "problem", "body"),
    id: column("id", deliveryId),
    endpoint: column("endpoint", looselyNamed),
    method: column("method", named),
    outcome: column("outcome", coded(deliveryOutcomeCodes)),
    body_sha256: column("body_sha256", hex),
    key_id: column("key", named),
    verdicts: column("verdicts", verdicts),
    redelivery_of: column("redelivery_of", deliveryId),
    position: column("seq"),
  },
};

/** A key is a column of its delivery. The delivery also has the other columns of the row. */
const idempotencyKey: TableForm = {
  from: "delivery WHERE idempotency_key IS NOT NULL",
  key: "seq",
  columns: {
    endpoint: column("endpoint", named),
    key: column("idempotency_key", hex),
    delivery_id: column("id", deliveryId),
    body_sha256: column("body_sha256", hex),
    accepted_at: column("received_at"),
  },
  update: { sql: "UPDATE delivery SET idempotency_key = ? WHERE id = ?", columns: ["key", "delivery_id"] },
};

const run: TableForm = {
  from: "run",
  key: "seq",
  columns: {
    ...plain("attempt", "max_attempts", "attempts_before"),
    ...plain("created_at", "resumed_at", "started_at", "finished_at", "available_at"),
    ...plain("cancel_requested_at", "crashes", "progress_seq", "tokens", "cost_usd"),
    ...plain("run_key", "child_step", "depth", "settle_at", "error_name", "error_message", "error_stack", "output"),
    id: column("id", runId),
    status: column("status", coded(runStatusCodes)),
    trigger: column("trigger", named),
    attachment_id: column("attachment", named),
    target_kind: column("target_kind", coded(targetKindCodes)),
    target_slug: column("target_slug", named),
    target: column("target", named),
    delivery_id: column("delivery", deliveryId, {
      sql: "(SELECT id FROM delivery WHERE delivery.seq = run.delivery)",
      value: "(SELECT seq FROM delivery WHERE id = ?)",
    }),
    started_by: column("started_by", coded(startedByCodes)),
    replay_of: column("replay_of", runId),
    failure_of: column("failure_of", runId),
    child_of: column("child_of", runId),
    child_link: column("child_link", coded(childLinkCodes)),
    is_parent: column("is_parent", bool),
    key_id: column("key", named),
    version: column("version", named),
    is_resuming: column("is_resuming", bool),
    is_isolated: column("is_isolated", bool),
    key_slot: column("key_slot", coded(keySlotCodes)),
    key_order: column("key_order"),
    token: column("token", packed(packedUuid)),
    worker_id: column("worker_id", packed(packedId("wrk"))),
    payload: column("payload", same, { sql: payloadSql }),
    input: column("input", same, { sql: inputSql }),
  },
};

/** Run after a run is written: a payload and an input that are already stored need no space. */
export const shareInputSql = `UPDATE run SET input = '${sameAsPayload}' WHERE seq = @seq AND input = payload`;
export const sharePayloadSql = `
  UPDATE run SET payload = '${sameAsBody}'
  WHERE seq = @seq AND payload = (SELECT CAST(body AS TEXT) FROM delivery WHERE delivery.seq = run.delivery)`;

const runStep: TableForm = {
  from: "run_step JOIN run ON run.seq = run_step.run",
  key: "run_step.position",
  columns: {
    ...Object.fromEntries(
      ["position", "name", "attempt", "started_at", "finished_at", "until", "result", "sequence"].map((name) => [
        name,
        column(name, same, { sql: `run_step.${name}` }),
      ]),
    ),
    run_id: runOf,
    kind: column("kind", coded(stepKindCodes)),
  },
};

const runWait: TableForm = {
  from: "run_wait JOIN run ON run.seq = run_wait.run",
  key: "run_wait.position",
  columns: {
    ...Object.fromEntries(
      ["position", "step", "branch", "source", "match", "since", "until", "search_at"].map((name) => [
        name,
        column(name, same, { sql: `run_wait.${name}` }),
      ]),
    ),
    run_id: runOf,
    match_key: column("match_key", hex),
    is_searched: column("is_searched", bool),
    delivery: column("delivery", deliveryId, { sql: "run_wait.delivery" }),
  },
};

/** Entries that a run implies have no row; see `sqlite-timelines.ts`. */
export const eventColumns = {
  ...plain("at", "attempt", "name", "message", "duration_ms", "until", "error", "data"),
  kind: column("kind", coded(timelineKindCodes)),
  level: column("level", coded(logLevelCodes)),
} as const;

export const forms: ReadonlyMap<string, TableForm> = new Map([
  ["delivery", delivery],
  ["idempotency_key", idempotencyKey],
  ["run", run],
  ["run_step", runStep],
  ["run_wait", runWait],
]);
