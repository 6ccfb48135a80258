import { eq } from "drizzle-orm";
import { queueFull } from "../../domain/problem.ts";
import { checkStartKey, startConflict, toStartedRun } from "../../domain/runs/start-key.ts";
import type { RunStore } from "../../ports/store/run-store.ts";
import type { StoreDatabase } from "./store-database.ts";

export type RunStarts = Pick<RunStore, "createRunsOnce">;

export function createRunStarts({ tables: { runStart }, writeNewRuns }: StoreDatabase): RunStarts {
  return {
    async createRunsOnce(runs, key) {
      const { first, queue } = await writeNewRuns(function* ({ db, rows, run, lockName, insertRuns }) {
        // Of concurrent requests with a key, one is the first.
        yield* lockName(key.id);
        const [row] = yield* rows(db.select().from(runStart).where(eq(runStart.id, key.id)));
        const first = checkStartKey(row ?? null, key);
        if (first) return { first, queue: null };
        const queue = yield* insertRuns(runs);
        if (queue) return { first, queue };
        const start = { bodySha256: key.bodySha256, at: key.now, runs: runs.map(toStartedRun) };
        yield* run(
          db
            .insert(runStart)
            .values({ id: key.id, ...start })
            .onConflictDoUpdate({ target: runStart.id, set: start }),
        );
        return { first, queue };
      });
      // Thrown after the transaction, because other writes share it.
      if (queue) throw queueFull(queue);
      if (first?.kind === "conflict") throw startConflict(first.runs);
      return first?.runs ?? null;
    },
  };
}
