import { and, eq, inArray } from "drizzle-orm";
import { isFinal } from "../../domain/runs/run-state.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import type { SqliteDatabase } from "./database.ts";
import { run } from "./schema.ts";
import type { AddEntry } from "./timeline.ts";

type CancelAnswer = Awaited<ReturnType<RunStore["requestCancel"]>>;

export function prepareRequestCancel(
  { db }: SqliteDatabase,
  addEntry: AddEntry,
): (runId: string, now: number) => CancelAnswer {
  return (runId, now) => {
    const found = db
      .select({ status: run.status, attempt: run.attempt, cancelRequestedAt: run.cancelRequestedAt })
      .from(run)
      .where(eq(run.id, runId))
      .get();
    if (!found) return "missing";
    if (isFinal(found.status)) return "ended";
    if (found.status === "running") {
      if (found.cancelRequestedAt !== null) return "requested";
      db.update(run)
        .set({ cancelRequestedAt: now })
        .where(and(eq(run.id, runId), eq(run.status, "running")))
        .run();
      addEntry(runId, { at: now, kind: "cancel_requested", attempt: found.attempt });
      return "requested";
    }
    db.update(run)
      .set({ status: "canceled", finishedAt: now, cancelRequestedAt: now })
      .where(and(eq(run.id, runId), inArray(run.status, ["queued", "waiting"])))
      .run();
    addEntry(runId, { at: now, kind: "canceled", attempt: found.attempt });
    return "canceled";
  };
}
