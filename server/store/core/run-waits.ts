import { and, asc, count, eq, inArray, isNotNull, notInArray, or, sql } from "drizzle-orm";
import { hasFailed, openStatuses } from "../../shared/runs/run-state.ts";
import type { RunStore, RunWaits } from "../../ports/store/run-store.ts";
import type { RunKey } from "../../domain/runs/key-slots.ts";
import { toIso } from "../shared/iso-time.ts";
import { listOpenWaits } from "./event-waits.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";

type EventRunWait = Extract<NonNullable<RunWaits["waitsFor"]>, { kind: "event" }>;

export type RunWaitReads = Pick<RunStore, "findWaits">;

export function createRunWaitReads({ tables, forms, readInTurn }: StoreDatabase): RunWaitReads {
  const { run } = tables;
  const { id, status, target, keySlot, availableAt } = run;

  /** The run that has waited longest for its end: it has started first, or blocks the key. */
  function* findBefore({ db, rows }: StoreSession, { target: name, key }: RunKey) {
    const hasSlot = and(isNotNull(keySlot), inArray(keySlot, ["taken", "surplus"]));
    const [before] = yield* rows(
      db
        .select({ id, status })
        .from(forms.runsBy("run_by_slot"))
        .where(and(eq(target, name), eq(run.runKey, key), hasSlot))
        .orderBy(asc(run.createdAt), asc(run.key))
        .limit(1),
    );
    return { runId: before?.id ?? null, isBlocked: before !== undefined && hasFailed(before.status) };
  }

  /** The number of runs that count towards the limit of a target. */
  function* countRuns({ db, rows }: StoreSession, name: string, whileWaiting: "hold" | "release") {
    const counted = whileWaiting === "hold" ? (["running", "waiting"] as const) : (["running"] as const);
    const [found] = yield* rows(
      db
        .select({ runs: count() })
        .from(forms.runsBy("run_open"))
        .where(
          and(forms.isOpen, inArray(status, [...counted]), inArray(run.isIsolated, [false, true]), eq(target, name)),
        ),
    );
    return found?.runs ?? 0;
  }

  return {
    findWaits: ({ ids, limits, now }) =>
      readInTurn(function* (session) {
        const ended = ["completed", "canceled"] as const;
        const found = yield* session.rows(
          session.db
            .select({ id, status, target, key: run.runKey, keySlot, availableAt, isResuming: run.isResuming })
            .from(forms.runsBy("run_by_id"))
            .where(and(inArray(id, [...ids]), notInArray(status, [...ended]), or(isNotNull(keySlot), forms.isOpen))),
        );
        const waits = new Map<string, RunWaits>();
        const events = yield* findEvents(session, ids);
        const children = yield* countChildren(session, ids);
        const before = new Map<string, { runId: string | null; isBlocked: boolean }>();
        const counts = new Map<string, number>();
        for (const one of found) {
          if (hasFailed(one.status)) {
            waits.set(one.id, { blocksKey: true });
            continue;
          }
          if (one.status === "running") continue;
          const event = events.get(one.id);
          if (event && one.keySlot !== "waiting") {
            waits.set(one.id, { waitsFor: event });
            continue;
          }
          // Otherwise it waits for its next attempt.
          const child = one.status === "waiting" && one.isResuming ? children.get(one.id) : undefined;
          if (child && one.keySlot !== "waiting") {
            waits.set(one.id, { waitsFor: child });
            continue;
          }
          if (one.keySlot === "waiting") {
            const key = { target: one.target, key: one.key ?? "" };
            const name = JSON.stringify(key);
            const behind = before.get(name) ?? (yield* findBefore(session, key));
            before.set(name, behind);
            waits.set(one.id, { waitsFor: { kind: "key", ...behind } });
            continue;
          }
          const { limit = null, whileWaiting = "release" } = limits.get(one.target) ?? {};
          const needsNoRoom = one.status === "waiting" && (whileWaiting === "hold" || one.availableAt > now);
          if (limit === null || needsNoRoom) continue;
          const counted = counts.get(one.target) ?? (yield* countRuns(session, one.target, whileWaiting));
          counts.set(one.target, counted);
          if (counted >= limit) waits.set(one.id, { waitsFor: { kind: "concurrency", limit, counted } });
        }
        return waits;
      }),
  };
}

/** The open child runs that runs wait for. */
function* countChildren({ db, tables: { run }, rows }: StoreSession, ids: readonly string[]) {
  const { childOf, childLink, status, id } = run;
  const found = yield* rows(
    db
      .select({ childOf, runs: count(), oldest: sql`min(${id})`.mapWith(id) })
      .from(run)
      .where(
        and(inArray(childOf, [...ids]), inArray(childLink, ["call", "kept_call"]), inArray(status, [...openStatuses])),
      )
      .groupBy(childOf),
  );
  return new Map(
    found.map((one) => [one.childOf ?? "", { kind: "child" as const, runId: one.oldest, count: one.runs }]),
  );
}

/** The events of the wait that times out first. */
function* findEvents(session: StoreSession, ids: readonly string[]) {
  const events = new Map<string, EventRunWait>();
  for (const { runId, step, source, match, until } of yield* listOpenWaits(session, ids)) {
    const at = toIso(until);
    const known = events.get(runId);
    if (known?.step === step) known.events.push({ source, match });
    else if (!known || at < known.until)
      events.set(runId, { kind: "event", step, events: [{ source, match }], until: at });
  }
  return events;
}
