import type { NewRun } from "../../ports/store/run-store.ts";
import { tokensAtStart } from "../shared/tokens-at-start.ts";
import { insertRows } from "./insert-rows.ts";
import { run } from "./schema.ts";
import type { Session } from "./session.ts";
import { addEntries } from "./timeline.ts";

/** Records queued runs, each with its first timeline entry. */
export async function insertRuns(session: Session, runs: readonly NewRun[]): Promise<void> {
  const rows = runs.map(({ target: { kind, slug }, ...newRun }) => ({
    ...newRun,
    status: "queued" as const,
    targetKind: kind,
    targetSlug: slug,
    target: `${kind}:${slug}`,
    tokens: tokensAtStart(kind),
    availableAt: newRun.createdAt,
  }));
  await insertRows(session, run, rows);
  await addEntries(
    session,
    runs.map(({ id, createdAt }) => ({ runId: id, entry: { at: createdAt, kind: "queued", attempt: 0 } })),
  );
}
