import { and, asc, count, desc, eq, gte, inArray, isNotNull, isNull, lt, lte, or, sql } from "drizzle-orm";
import type { Alert, AlertMessage } from "../../contract/alert.ts";
import { describeAlert } from "../../domain/alerts/describe-alert.ts";
import type { StoredAlert } from "../../domain/alerts/plan-alerts.ts";
import type { AlertStore } from "../../ports/store/alert-store.ts";
import { readPageRequest, toPage } from "../shared/lists/cursor.ts";
import { toIso, toIsoOrNull } from "../shared/iso-time.ts";
import type { Operation } from "../shared/operation.ts";
import type { StoreDatabase, StoreSession } from "./store-database.ts";
import type { CoreTables } from "./tables.ts";

/** The operations that need only the tables of alerts. The others read runs. */
type AlertRows = Omit<AlertStore, "listFailures" | "countQueuedOf" | "listOldApprovals">;

type AlertRow = CoreTables["alert"]["$inferSelect"];
type MessageRow = CoreTables["alertMessage"]["$inferSelect"];

const watchId = "alerts";
const maxRemoved = 100;

export function createAlertStore({ tables, read, write }: StoreDatabase): AlertRows {
  const { alert, alertMessage, alertWatch } = tables;
  return {
    readAlertState: ({ endedSince, messagesSince }) =>
      read(function* ({ db, rows }) {
        const [watch] = yield* rows(db.select().from(alertWatch).where(eq(alertWatch.id, watchId)));
        const open = yield* rows(db.select().from(alert).where(isNull(alert.resolvedAt)).orderBy(asc(alert.id)));
        const ended = yield* rows(
          db
            .select()
            .from(alert)
            .where(gte(alert.resolvedAt, endedSince))
            .orderBy(asc(alert.resolvedAt), asc(alert.id)),
        );
        const sent = yield* rows(
          db
            .select({ messages: count() })
            .from(alertMessage)
            .where(gte(alertMessage.createdAt, messagesSince))
            .groupBy(alertMessage.destination),
        );
        const newest = new Map(ended.map((row) => [`${row.kind} ${row.subject}`, row]));
        return {
          evaluatedAt: watch?.evaluatedAt ?? null,
          open,
          ended: [...newest.values()],
          recentMessages: Math.max(0, ...sent.map(({ messages }) => messages)),
        };
      }),
    saveAlertPlan: ({ plan, evaluatedAt, now }) =>
      write(function* (session) {
        const { db, rows, run, lockTable } = session;
        yield* lockTable(alertWatch);
        const [watch] = yield* rows(db.select().from(alertWatch).where(eq(alertWatch.id, watchId)));
        if ((watch?.evaluatedAt ?? null) !== evaluatedAt) return false;
        yield* run(
          db
            .insert(alertWatch)
            .values({ id: watchId, evaluatedAt: now })
            .onConflictDoUpdate({ target: alertWatch.id, set: { evaluatedAt: now } }),
        );
        for (const { id, ...values } of plan.alerts) {
          const { count: cases, detail, lastAt, resolvedAt, reportedCount } = values;
          yield* run(
            db
              .insert(alert)
              .values({ id, ...values })
              .onConflictDoUpdate({
                target: alert.id,
                set: { count: cases, detail, lastAt, resolvedAt, reportedCount },
              }),
          );
        }
        for (const { alert: about, ...message } of plan.messages)
          yield* run(
            db.insert(alertMessage).values({ ...message, alert: about, alertId: about.id, createdAt: now, dueAt: now }),
          );
        if (plan.alerts.length > 0) yield* noteChange(session);
        return true;
      }),
    takeMessages: ({ now, leaseMs, limit }) =>
      write(function* ({ db, lockedRows, rows }) {
        const due = yield* lockedRows(
          db
            .select({ id: alertMessage.id })
            .from(alertMessage)
            .where(and(isNotNull(alertMessage.dueAt), lte(alertMessage.dueAt, now)))
            .orderBy(asc(alertMessage.dueAt))
            .limit(limit),
        );
        if (due.length === 0) return [];
        const ids = due.map(({ id }) => id);
        // A statement that waited for a lock sees the row as it is now.
        const taken = yield* rows(
          db
            .update(alertMessage)
            .set({ attempts: sql`${alertMessage.attempts} + 1`, dueAt: now + leaseMs })
            .where(and(inArray(alertMessage.id, ids), lte(alertMessage.dueAt, now)))
            .returning(),
        );
        return taken
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id, type, destination, alert: about, createdAt, attempts }) => ({
            id,
            type,
            destination,
            alert: about,
            createdAt,
            attempt: attempts,
          }));
      }),
    finishMessage: ({ id, attempt, outcome, now }) =>
      write(function* (session) {
        const { db, run } = session;
        const isSent = outcome.kind === "sent";
        yield* run(
          db
            .update(alertMessage)
            .set({
              dueAt: outcome.kind === "retry" ? outcome.at : null,
              sentAt: isSent ? now : null,
              error: isSent ? null : outcome.error,
            })
            .where(and(eq(alertMessage.id, id), eq(alertMessage.attempts, attempt))),
        );
        yield* noteChange(session);
      }),
    listAlerts: ({ isActive }, page) =>
      read(function* ({ db, rows }) {
        const { limit, after } = readPageRequest(page);
        const found = yield* rows(
          db
            .select()
            .from(alert)
            .where(
              and(
                isActive === undefined ? undefined : isActive ? isNull(alert.resolvedAt) : isNotNull(alert.resolvedAt),
                after
                  ? or(lt(alert.openedAt, after.at), and(eq(alert.openedAt, after.at), lt(alert.id, after.id)))
                  : undefined,
              ),
            )
            .orderBy(desc(alert.openedAt), desc(alert.id))
            .limit(limit + 1),
        );
        const messages = yield* rows(
          db
            .select()
            .from(alertMessage)
            .where(
              inArray(
                alertMessage.alertId,
                found.map(({ id }) => id),
              ),
            )
            .orderBy(desc(alertMessage.createdAt), desc(alertMessage.id)),
        );
        const byAlert = Map.groupBy(messages, ({ alertId }) => alertId);
        return toPage(found, {
          limit,
          position: ({ openedAt, id }) => ({ at: openedAt, id }),
          shape: (row) => toAlert(row, byAlert.get(row.id) ?? []),
        });
      }),
    countActiveAlerts: () =>
      read(function* ({ db, rows }) {
        const [found] = yield* rows(db.select({ alerts: count() }).from(alert).where(isNull(alert.resolvedAt)));
        return found?.alerts ?? 0;
      }),
    removeOldAlerts: ({ before }) =>
      write(function* (session) {
        const { db, rows, run } = session;
        const old = yield* rows(
          db.select({ id: alert.id }).from(alert).where(lt(alert.resolvedAt, before)).limit(maxRemoved),
        );
        if (old.length === 0) return { removed: 0, next: null };
        const ids = old.map(({ id }) => id);
        yield* run(db.delete(alertMessage).where(inArray(alertMessage.alertId, ids)));
        yield* run(db.delete(alert).where(inArray(alert.id, ids)));
        yield* noteChange(session);
        return { removed: ids.length, next: ids.length === maxRemoved ? true : null };
      }),
  };
}

/** Changes the mark of the store. */
function* noteChange({ db, tables: { alertWatch }, run, changed }: StoreSession): Operation<void> {
  yield* run(db.update(alertWatch).set({ revision: sql`${alertWatch.revision} + 1` }));
  changed("alerts");
}

function toAlert(row: AlertRow, messages: readonly MessageRow[]): Alert {
  const stored: StoredAlert = row;
  return { ...describeAlert(stored), messages: messages.map(toMessage) };
}

function toMessage(row: MessageRow): AlertMessage {
  const { id, type, destination, attempts, createdAt, dueAt, sentAt, error } = row;
  return {
    id,
    type,
    destination,
    status: sentAt !== null ? "sent" : dueAt !== null ? "pending" : "failed",
    attempts,
    createdAt: toIso(createdAt),
    sentAt: toIsoOrNull(sentAt),
    error,
  };
}
