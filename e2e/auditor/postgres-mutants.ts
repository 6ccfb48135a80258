import type { MachinesAuditOptions } from "./audit-machines.ts";
import type { SourceChange } from "./changed-source.ts";
import { shortLease } from "./lateness.ts";
import { kitKind, purchaseKind } from "./audited-project.ts";
import { mutants } from "./mutants.ts";
import type { RuleName } from "./rules.ts";

/** Any process that has had a run may write to it, even after another has taken it over. */
const noFencing: SourceChange[] = [
  {
    file: "server/store/postgres/engine/write-progress.ts",
    find: "AND token = ANY($2::text[]) ORDER BY id",
    replace: "AND $2::text[] IS NOT NULL ORDER BY id",
  },
  {
    file: "server/store/postgres/engine/write-progress.ts",
    find: "locked.map((row) => [`${row.id} ${row.token}`, row])",
    replace: "locked.map((row) => [row.id, row])",
  },
  {
    file: "server/store/postgres/engine/write-progress.ts",
    find: "found.get(`${progress.runId} ${progress.token}`)",
    replace: "found.get(progress.runId)",
  },
  {
    file: "server/store/postgres/engine/write-progress.ts",
    find: "if (!mine?.isRunning) return [];",
    replace: "if (!mine) return [];",
  },
  {
    file: "server/store/postgres/engine/write-progress.ts",
    find: "found.get(`${runId} ${token}`)",
    replace: "found.get(runId)",
  },
  {
    file: "server/store/postgres/engine/end-holds.ts",
    find: " AND run.token = e.token AND ${isStillRunning}",
    replace: "",
  },
  {
    file: "server/store/postgres/engine/held-runs.ts",
    find: " AND run.token = t.token",
    replace: "",
  },
  {
    file: "server/store/postgres/engine/held-runs.ts",
    find: "WHERE ${isStillRunning} ORDER BY t.id",
    replace: "ORDER BY t.id",
  },
];

/** Time between the look-up of a delivery and its commit. It breaks no rule by itself. */
const slowLookUp: SourceChange = {
  file: "server/store/postgres/deliveries/wait-locks.ts",
  find: "return runAsync(findWaiting(toStoreSession(session), keys, receivedAt));",
  replace: `const found = await runAsync(findWaiting(toStoreSession(session), keys, receivedAt));
  await new Promise((resolve) => setTimeout(resolve, 300));
  return found;`,
};

/** A delivery and a wait in concurrent transactions do not find each other. */
const unlockedWaits: SourceChange[] = [
  slowLookUp,
  {
    file: "server/store/postgres/deliveries/wait-locks.ts",
    find: `await session.rows(lockSql("pg_advisory_xact_lock_shared"), [keys]);`,
    replace: "",
  },
];

interface PostgresMutant {
  audit: Partial<MachinesAuditOptions> & Pick<MachinesAuditOptions, "changes" | "plan">;
  /** At least one of these rules must be broken. */
  caughtBy: readonly RuleName[];
}

/**
 * The product with one guard removed, on Postgres, and the kills that reveal it: `npm run audit -- --store
 * postgres --mutant <name>`.
 */
export const postgresMutants = {
  "acknowledge-before-commit": {
    audit: {
      paceMs: 100,
      momentMs: 60_000,
      roles: ["web", "worker"],
      changes: mutants["acknowledge-before-commit"].audit.changes,
      plan: Array.from({ length: 4 }, () => ({
        kind: "postgres" as const,
        moment: "acknowledged" as const,
        afterMs: 200,
        awayMs: 100,
      })),
    },
    caughtBy: ["every 202 has exactly one run for each matching trigger"],
  },
  "last-first": {
    audit: {
      // Enough orders that runs wait for others with their key.
      paceMs: 50,
      minOrders: 150,
      stepMs: 100,
      roles: ["web", "worker", "worker"],
      changes: [
        {
          file: "server/store/postgres/queue/key-slots.ts",
          find: "AND key_slot = 'waiting' ORDER BY key_order LIMIT",
          replace: "AND key_slot = 'waiting' ORDER BY key_order DESC LIMIT",
        },
      ],
      plan: [],
    },
    caughtBy: ["runs of a key start in the order in which they were accepted"],
  },
  "unlocked-waits": {
    audit: {
      paceMs: 50,
      // The first waits after a start are searched twice.
      minOrders: 300,
      kinds: [purchaseKind],
      stuckMs: 30_000,
      roles: ["web", "worker", "worker"],
      changes: unlockedWaits,
      plan: [],
    },
    caughtBy: [
      "a wait and its event are never both in the store while the run sleeps",
      "a run that waits has the first event that is for it",
    ],
  },
  "left-by-failure": {
    audit: {
      paceMs: 100,
      kinds: [kitKind],
      stuckMs: 30_000,
      roles: ["web", "worker"],
      changes: [
        {
          file: "server/store/postgres/engine/end-holds.ts",
          find: "OR (is_parent AND e.status <> 'completed')",
          replace: "OR (is_parent AND e.status IS NULL)",
        },
      ],
      plan: [],
    },
    caughtBy: ["no child run is open after its parent has failed or was canceled"],
  },
  "no-fencing": {
    audit: {
      paceMs: 300,
      stuckMs: 30_000,
      roles: ["web", "worker", "worker"],
      stepMs: 1_200,
      changes: [...noFencing, shortLease],
      plan: Array.from({ length: 2 }, () => ({
        kind: "stop" as const,
        moment: "any" as const,
        afterMs: 1_500,
        awayMs: 0,
        isUntilTakenOver: true,
      })),
    },
    caughtBy: [
      "a step is repeated only if a kill fell inside it",
      "a process begins nothing of a run that another has taken over",
    ],
  },
} satisfies Record<string, PostgresMutant>;
