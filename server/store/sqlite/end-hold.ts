import { and, eq, sql } from "drizzle-orm";
import { resolveTransition } from "../../domain/runs/run-state.ts";
import type { RunTransition } from "../../ports/store/engine-store.ts";
import { type SqliteDatabase, given } from "./database.ts";
import { prepareStatement } from "./prepare-statement.ts";
import { run } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

/** A running run, as read in the write transaction. */
export interface Held {
  id: string;
  token: string;
  attempt: number;
  cancelRequestedAt: number | null;
  /** The number of the worker's write that ends its hold; absent: the run is taken from its worker. */
  seq?: number;
}

export type EndHold = (held: Held, transition: RunTransition, now: number) => void;

/** Takes a run out of `running`; see resolveTransition. */
export function prepareEndHold(database: SqliteDatabase, addEntry: AddEntry): EndHold {
  const giveBack = prepareGiveBack(database);
  const finish = prepareFinish(database);
  return ({ id, token, seq = null, attempt, cancelRequestedAt }, asked, now) => {
    const transition = resolveTransition(asked, { isCancelRequested: cancelRequestedAt !== null });
    if (transition.to === "waiting" || transition.to === "queued") giveBack({ id, token, seq, transition });
    else finish({ id, token, seq, now, transition });
    if (transition !== asked) addEntry(id, { at: now, kind: "canceled", attempt });
  };
}

type Back = Extract<RunTransition, { to: "waiting" | "queued" }>;

/** A worker whose answer was lost sends its last write again: the token and the number tell that it was written. */
const released = {
  token: sql`iif(${sql.placeholder("seq")} IS NULL, NULL, ${run.token})`,
  progressSeq: sql`coalesce(${sql.placeholder("seq")}, 0)`,
  workerId: null,
  leaseUntil: null,
};
const whereHeld = and(
  eq(run.id, sql.placeholder("id")),
  eq(run.token, sql.placeholder("token")),
  eq(run.status, "running"),
);

function prepareGiveBack({
  db,
  connection,
}: SqliteDatabase): (p: { id: string; token: string; seq: number | null; transition: Back }) => void {
  const query = db
    .update(run)
    .set({
      ...released,
      status: given("status"),
      // A run that is queued again keeps its position in the order.
      availableAt: sql`coalesce(${sql.placeholder("availableAt")}, ${run.availableAt})`,
      isResuming: given("isResuming"),
    })
    .where(whereHeld);
  const update = prepareStatement(connection, query);
  return ({ id, token, seq, transition }) => {
    const isWaiting = transition.to === "waiting";
    const isResuming = isWaiting && transition.reason === "retry" ? 0 : 1;
    assertOne(
      update.run({
        id,
        token,
        seq,
        status: transition.to,
        availableAt: isWaiting ? transition.availableAt : null,
        isResuming,
      }),
      id,
    );
  };
}

function prepareFinish({
  db,
  connection,
}: SqliteDatabase): (p: {
  id: string;
  token: string;
  seq: number | null;
  now: number;
  transition: Exclude<RunTransition, Back>;
}) => void {
  const query = db
    .update(run)
    .set({
      ...released,
      status: given("status"),
      finishedAt: given("now"),
      errorName: given("errorName"),
      errorMessage: given("errorMessage"),
      errorStack: given("errorStack"),
      output: sql`${sql.param(sql.placeholder("output"), run.output)}`,
    })
    .where(whereHeld);
  const update = prepareStatement(connection, query);
  return ({ id, token, seq, now, transition }) => {
    const output = transition.to === "completed" ? transition.output : null;
    const error = transition.to === "completed" ? null : transition.error;
    const values = {
      id,
      token,
      seq,
      now,
      status: transition.to,
      output,
      errorName: error?.name ?? null,
      errorMessage: error?.message ?? null,
      errorStack: error?.stack ?? null,
    };
    assertOne(update.run(values), id);
  };
}

/** The caller has read the row in the same transaction: any other number is a defect and rolls back. */
function assertOne(changes: number, id: string): void {
  if (changes !== 1) throw new Error(`${changes} rows changed instead of one: ${id} was to leave running`);
}
