import type { AuditOptions } from "./audit.ts";
import type { SourceChange } from "./changed-source.ts";
import type { PlannedKill } from "./kills.ts";
import type { RuleName } from "./rules.ts";

/** The product with one guard broken, and the kills by which that shows, where it takes any. */
interface Mutant {
  audit: Pick<AuditOptions, "changes"> & Partial<AuditOptions>;
  /** One of these must say so. */
  caughtBy: readonly RuleName[];
}

const repeat = (times: number, kill: PlannedKill): PlannedKill[] => Array.from({ length: times }, () => kill);

const acknowledgeBeforeCommit: SourceChange = {
  file: "server/ingest/accept.ts",
  find: "const result = await store.acceptDelivery({ delivery, runs: decision.runs, idempotency });",
  replace: `setTimeout(() => void store.acceptDelivery({ delivery, runs: decision.runs, idempotency }), 300);
  const result = { kind: "accepted" } as Awaited<ReturnType<typeof store.acceptDelivery>>;`,
};

const noTakeOver: SourceChange[] = [
  {
    file: "server/store/sqlite/lost-runs.ts",
    find: ".where(lte(run.leaseUntil, now));",
    replace: ".where(lte(run.leaseUntil, -1));",
  },
  { file: "server/store/sqlite/lost-runs.ts", find: "if (!held) continue;", replace: "if (held || !held) continue;" },
];

const noCheckpoints: SourceChange = {
  file: "server/store/sqlite/write-progress.ts",
  find: "for (const step of steps) saveStep(runId, step);",
  replace: `for (const step of steps) if (step.kind === "sleep") saveStep(runId, step);`,
};

const noIdempotency: SourceChange = {
  file: "server/store/sqlite/accept-delivery.ts",
  find: "if (repeat) return repeat;",
  replace: "",
};

/** At most once: what was begun counts as done. */
const recordBeforeEffect: SourceChange = {
  file: "server/engine/run-context.ts",
  find: "const result = await runStep(",
  replace: `await session.write({ steps: [{ name: key, kind: "step", attempt, startedAt, finishedAt: startedAt, until: null, result: null }] });
    const result = await runStep(`,
};

const halfADelivery: SourceChange = {
  file: "server/store/sqlite/accept-delivery.ts",
  find: "for (const newRun of request.runs) insertRun(newRun);",
  replace: "for (const newRun of request.runs.slice(0, 1)) insertRun(newRun);",
};

/** Any process that knows a run may write to it, also after another has taken it over. */
export const noFencing: SourceChange[] = [
  {
    file: "server/store/sqlite/write-progress.ts",
    find: `    .where(and(eq(run.id, sql.placeholder("id")), eq(run.token, sql.placeholder("token"))));
  const find = `,
    replace: `    .where(eq(run.id, sql.placeholder("id")));
  const find = `,
  },
  {
    file: "server/store/sqlite/leases.ts",
    find: `eq(run.token, sql.placeholder("token")), eq(run.status, "running")))
    .returning(`,
    replace: `))
    .returning(`,
  },
  {
    file: "server/store/sqlite/end-hold.ts",
    find: `const whereHeld = and(
  eq(run.id, sql.placeholder("id")),
  eq(run.token, sql.placeholder("token")),
  eq(run.status, "running"),
);`,
    replace: `const whereHeld = eq(run.id, sql.placeholder("id"));`,
  },
];

const quick = { clients: 8, workers: 1, paceMs: 300, minOrders: 30, stuckMs: 12_000 };

export const mutants = {
  "acknowledge-before-commit": {
    audit: {
      ...quick,
      changes: [acknowledgeBeforeCommit],
      plan: repeat(2, { kind: "group", moment: "acknowledged", afterMs: 500 }),
    },
    caughtBy: ["every 202 has exactly one run for each matching trigger"],
  },
  "no-take-over": {
    audit: { ...quick, changes: noTakeOver, plan: [{ kind: "worker", moment: "step_begun", afterMs: 500 }] },
    caughtBy: ["every run ends"],
  },
  "no-checkpoints": {
    audit: {
      ...quick,
      changes: [noCheckpoints],
      plan: [{ kind: "worker", moment: "step_begun", step: "send", afterMs: 500 }],
    },
    caughtBy: ["no step starts after the next one did", "a step is repeated only if a kill fell inside it"],
  },
  "no-idempotency": {
    audit: { ...quick, minOrders: 80, changes: [noIdempotency], plan: [] },
    caughtBy: ["no idempotency key has two runs of a trigger"],
  },
  "record-before-effect": {
    audit: { ...quick, changes: [recordBeforeEffect], plan: [{ kind: "worker", moment: "step_begun", afterMs: 500 }] },
    caughtBy: ["every acknowledged run has all its effects"],
  },
  "half-a-delivery": {
    audit: { ...quick, changes: [halfADelivery], plan: [] },
    caughtBy: ["a delivery's runs are recorded together or not at all"],
  },
} satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;
