import type { AuditOptions } from "./audit.ts";
import { kitKind, purchaseKind } from "./audited-project.ts";
import type { SourceChange } from "./changed-source.ts";
import type { PlannedKill } from "./kills.ts";
import type { RuleName } from "./rules.ts";

/** The product with one guard removed, and the kills that reveal it, if any are needed. */
interface Mutant {
  audit: Pick<AuditOptions, "changes"> & Partial<AuditOptions>;
  /** At least one of these rules must be broken. */
  caughtBy: readonly RuleName[];
}

const repeat = (times: number, kill: PlannedKill): PlannedKill[] => Array.from({ length: times }, () => kill);

const acknowledgeBeforeCommit: SourceChange = {
  file: "server/ingest/accept.ts",
  find: "const result = await store.acceptDelivery({ delivery, runs: decision.runs, idempotency, delivered }, head.limit);",
  replace: `setTimeout(() => void store.acceptDelivery({ delivery, runs: decision.runs, idempotency }), 300);
  const result = { kind: "accepted" } as Awaited<ReturnType<typeof store.acceptDelivery>>;`,
};

const noTakeOver: SourceChange[] = [
  {
    file: "server/store/sqlite/engine/lost-runs.ts",
    find: "AND lease_until <= ?`;",
    replace: "AND lease_until <= -1 AND ? IS NOT NULL`;",
  },
  {
    file: "server/store/sqlite/engine/lost-runs.ts",
    find: "if (!held) continue;",
    replace: "if (held || !held) continue;",
  },
];

const noCheckpoints: SourceChange = {
  file: "server/store/sqlite/engine/engine-store.ts",
  find: "for (const { kind, result, ...step } of steps)",
  replace: `for (const { kind, result, ...step } of steps.filter((one) => one.kind === "sleep"))`,
};

const noIdempotency: SourceChange = {
  file: "server/store/sqlite/deliveries/delivery-store.ts",
  find: "const repeat = found && classifyRepeat(toFirst(found), request);",
  replace: "const repeat = null as ReturnType<typeof classifyRepeat>;",
};

/** At most once: a begun step counts as finished. */
const recordBeforeEffect: SourceChange = {
  file: "server/engine/steps/step-tries.ts",
  find: "result = await execute(step);",
  replace: `await session.write({ steps: [{ name: key, kind: "step", attempt, startedAt, finishedAt: startedAt, until: null, result: null }] });
      result = await execute(step);`,
};

const halfADelivery: SourceChange = {
  file: "server/store/sqlite/deliveries/delivery-store.ts",
  find: "for (const run of runs) p.insertRun(run, { seq, delivery });",
  replace: "for (const run of runs.slice(0, 1)) p.insertRun(run, { seq, delivery });",
};

/** A worker that reconnects does not send unacknowledged progress again. */
const lostFrames: SourceChange = {
  file: "server/run-channel/worker-channel.ts",
  find: "for (const { message } of unacknowledged.values()) stream?.send(message);",
  replace: "",
};

const doubledAssignments: SourceChange = {
  file: "server/run-channel/host/assign-runs.ts",
  find: "worker.stream.sendText(text);",
  replace: "for (const _ of [1, 2]) worker.stream.sendText(text);",
};

/** Any process that has had a run may write to it, even after another has taken it over. */
export const noFencing: SourceChange[] = [
  {
    file: "server/store/sqlite/engine/engine-store.ts",
    find: "FROM run WHERE id = ? AND token = ?",
    replace: "FROM run WHERE id = ? AND ? IS NOT NULL",
  },
  {
    file: "server/store/sqlite/engine/leases.ts",
    find: "WHERE id = ? AND token = ? AND status = ${running} RETURNING",
    replace: "WHERE id = ? AND ? IS NOT NULL RETURNING",
  },
];

/** Only the other runs of its process count as delayed by code that blocks it. */
const blockedWorkerStays: SourceChange = {
  file: "server/processes/worker-pool/watch-workers.ts",
  find: "observation.silentMs > maxDelayOfWaitingMs[observation.pool] && observation.waiting > 0;",
  replace: "observation.silentMs < 0;",
};

/** Each run of a key has a slot at once. */
const noKeyLimit: SourceChange = {
  file: "server/domain/runs/key-slots.ts",
  find: "if (taken < perKey && lastOrder === 0)",
  replace: "if (taken < perKey || lastOrder === 0)",
};

/** A freed slot goes to the run that has waited for the shortest time. */
const lastFirst: SourceChange = {
  file: "server/store/sqlite/runs/key-slots.ts",
  find: "ORDER BY key_slot, key_order LIMIT 1",
  replace: "ORDER BY key_slot, key_order DESC LIMIT 1",
};

/** A run that waits for its next attempt lets the next one of its key start. */
const retryFreesSlot: SourceChange = {
  file: "server/domain/runs/key-slots.ts",
  find: 'return to === "waiting" && reason === "sleep" && concurrency?.whileWaiting === "release" ? "asleep" : slot;',
  replace: 'return to === "waiting" && reason === "retry" ? null : slot;',
};

/** A run that begins to wait is not compared with the deliveries that were received before. */
const noSearch: SourceChange = {
  file: "server/deliveries/search-waits.ts",
  find: "const event = isSearchable ? await findEvent(deps, { ...wait, used: [...wait.used, ...used] }) : null;",
  replace: "const event = null as Awaited<ReturnType<typeof findEvent>>;",
};

/** A delivery does not look for the runs that wait for it. */
const noWake: SourceChange = {
  file: "server/store/sqlite/deliveries/delivery-store.ts",
  find: "const { ended, hasMore } = delivered ? p.wakeRuns.find(delivered, delivery) : { ended: [], hasMore: false };",
  replace: "const { ended, hasMore } = { ended: [] as EndedWait[], hasMore: false };",
};

/** The suspension of a run replaces an event that it received while it was active. */
const overwrittenEvent: SourceChange = {
  file: "server/store/sqlite/engine/engine-store.ts",
  find: "(run_step.sequence IS NULL AND excluded.finished_at IS NOT NULL)`;",
  replace: "run_step.sequence IS NULL`;",
};

/** A search returns the last delivery that matches. */
const lastMatch: SourceChange = {
  file: "server/deliveries/search-waits.ts",
  find: "if (payload !== undefined && isMatch(payload, match))",
  replace: "if (found === null && payload !== undefined && isMatch(payload, match))",
};

/** Of a wait, only the source counts. */
const anyMatch: SourceChange = {
  file: "server/deliveries/search-waits.ts",
  find: "if (payload !== undefined && isMatch(payload, match))",
  replace: "if (payload !== undefined)",
};

/** A child run is recorded some time before the step of its parent. */
const childBeforeStep: SourceChange = {
  file: "server/engine/child-calls.ts",
  find: `      await session.write({
        steps: batch.map(({ record }) => record),
        entries: batch.map(({ record, child }) => startedEntry(record, child)),
        children: batch.map(({ child }) => child),
      });`,
  replace: `      await session.write({ children: batch.map(({ child }) => child) });
      await new Promise((resolve) => setTimeout(resolve, 300));
      await session.write({ steps: batch.map(({ record }) => record) });`,
};

/** The end of a child run counts as reported before its parent has the result. */
const clearedTooEarly: SourceChange = {
  file: "server/store/core/child-runs.ts",
  find: "if (due.length > 0) await write((session) => settle(session, due, { now, limit, toResult }));",
  replace: `const ids = due.map(({ id }) => id);
      const clear = (session: StoreSession) => session.run(session.db.update(run).set({ settleAt: null }).where(inArray(run.id, ids)));
      if (due.length > 0) await write(clear);
      if (due.length > 0) await new Promise((resolve) => setTimeout(resolve, 400));
      if (due.length > 0) await write((session) => settle(session, due, { now, limit, toResult }));`,
};

/** A parent that waits is not due when a child run ends. */
const notDue: SourceChange = {
  file: "server/store/core/child-runs.ts",
  find: "yield* session.run(db.update(run).set({ availableAt: now }).where(eq(run.key, parent.key)));",
  replace: "",
};

/** A call ends when its run is suspended. */
const impatientCall: SourceChange = {
  file: "server/domain/runs/child-runs.ts",
  find: "if (until === null) return { dueAt: Infinity };",
  replace: `if (until === null) return "timed_out";`,
};

/** Only the parent of a run that has ended learns about it, not its child runs. */
const leftByFailure: SourceChange = {
  file: "server/domain/runs/child-runs.ts",
  find: `return link === "call" || link === "kept_call" || (isParent && status !== "completed");`,
  replace: `return link === "call" || link === "kept_call";`,
};
const leftByFailureOnSqlite: SourceChange = {
  file: "server/store/sqlite/engine/end-hold.ts",
  find: "OR (is_parent AND ${status} <> ${runStatusCodes.completed}), ${now}",
  replace: "OR (is_parent AND ${status} < 0), ${now}",
};

/** A parent that fails cancels the child runs that are to continue. */
const allCanceled: SourceChange[] = [
  {
    file: "server/domain/runs/child-runs.ts",
    find: `if (isAwaited || child.link === "kept_call") return "none";`,
    replace: `if (isAwaited) return "none";`,
  },
  {
    file: "server/store/core/child-runs.ts",
    find: `eq(run.childLink, "call"),`,
    replace: `inArray(run.childLink, ["call", "kept_call"]),`,
  },
];

/** The host never counts the runs that wait for its workers. */
const uncountedRuns: SourceChange = {
  file: "server/run-channel/host/count-blocked-runs.ts",
  find: "if (shared.length === 0 ||",
  replace: "if (shared.length >= 0 ||",
};

/** A worker that was ended has no successor. */
const noSuccessor: SourceChange = {
  file: "server/processes/worker-pool/worker-pool.ts",
  find: `else if (current("shared").length < settings.workers) spawn("shared");`,
  replace: `else if (current("shared").length < 0) spawn("shared");`,
};

/** The kill waits for its moment, however slowly the service starts beside the others. */
const quick = { clients: 8, workers: 1, paceMs: 300, minOrders: 30, momentMs: 60_000 };

/** Enough orders that runs wait for others with their key. */
const keyed = { ...quick, clients: 16, paceMs: 100, minOrders: 80 };

/** Its runs never end, so the audit does not wait for them as long as for others. */
const endless = { ...quick, stuckMs: 12_000 };

/** Runs that wait for shipments. */
const waiting = { ...endless, clients: 16, paceMs: 100, minOrders: 80, kinds: [purchaseKind], plan: [] };

/** Runs that call others. */
const families = { ...endless, clients: 12, paceMs: 200, minOrders: 60, kinds: [kitKind], plan: [] };

/** Code blocks the only worker. The runs that are recorded then never start, and are observed for long enough. */
const blocking = { ...quick, blocksWorker: true, plan: [], stuckMs: 45_000 };

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
    audit: { ...endless, changes: noTakeOver, plan: [{ kind: "worker", moment: "step_begun", afterMs: 500 }] },
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
    audit: {
      ...quick,
      // Its runs repeat their steps without end.
      restMs: 20_000,
      changes: [recordBeforeEffect],
      plan: [{ kind: "worker", moment: "step_begun", afterMs: 500 }],
    },
    caughtBy: ["every acknowledged run has all its effects"],
  },
  "half-a-delivery": {
    audit: { ...quick, changes: [halfADelivery], plan: [] },
    caughtBy: ["a delivery's runs are recorded together or not at all"],
  },
  "lost-frames": {
    audit: {
      ...endless,
      changes: [lostFrames],
      plan: [
        { kind: "receiver", moment: "step_done", afterMs: 500 },
        // The worker soon has no step to execute.
        ...repeat(2, { kind: "receiver", moment: "step_done", momentMs: 5_000, afterMs: 500 }),
      ],
    },
    caughtBy: ["every run ends"],
  },
  "blocked-worker-stays": {
    audit: { ...blocking, changes: [blockedWorkerStays] },
    caughtBy: ["every due run starts in time"],
  },
  "uncounted-runs": {
    audit: { ...blocking, changes: [uncountedRuns] },
    caughtBy: ["every due run starts in time"],
  },
  "no-successor": {
    audit: { ...blocking, changes: [noSuccessor] },
    caughtBy: ["every due run starts in time"],
  },
  "no-key-limit": {
    audit: { ...keyed, changes: [noKeyLimit], plan: [] },
    caughtBy: ["runs of a key are never in progress at the same time"],
  },
  "last-first": {
    audit: { ...keyed, changes: [lastFirst], plan: [] },
    caughtBy: ["runs of a key start in the order in which they were accepted"],
  },
  "retry-frees-slot": {
    audit: { ...keyed, minOrders: 120, changes: [retryFreesSlot], plan: [] },
    caughtBy: ["runs of a key are never in progress at the same time"],
  },
  "no-search": {
    audit: { ...waiting, changes: [noSearch] },
    caughtBy: ["a wait and its event are never both in the store while the run sleeps"],
  },
  "no-wake": {
    audit: { ...waiting, changes: [noWake] },
    caughtBy: ["a wait and its event are never both in the store while the run sleeps"],
  },
  "overwritten-event": {
    audit: { ...waiting, minOrders: 500, changes: [overwrittenEvent] },
    caughtBy: ["a wait and its event are never both in the store while the run sleeps"],
  },
  "last-match": {
    audit: { ...waiting, changes: [lastMatch] },
    caughtBy: ["a run that waits has the first event that is for it"],
  },
  "any-match": {
    audit: { ...waiting, changes: [anyMatch] },
    caughtBy: ["a run that waits has the first event that is for it"],
  },
  "child-before-step": {
    audit: {
      ...families,
      changes: [childBeforeStep],
      plan: repeat(3, { kind: "worker", moment: "step_begun", step: "make", afterMs: 500 }),
    },
    caughtBy: ["no step has two child runs", "every child run has its step, and every step its child run"],
  },
  "cleared-too-early": {
    audit: {
      ...families,
      changes: [clearedTooEarly],
      plan: repeat(3, { kind: "receiver", moment: "step_done", step: "make", afterMs: 1_000 }),
    },
    caughtBy: [
      "no run sleeps although all its child runs have ended",
      "no child run is open after its parent has failed or was canceled",
    ],
  },
  "not-due": {
    audit: { ...families, changes: [notDue] },
    caughtBy: ["no run sleeps although all its child runs have ended"],
  },
  "overwritten-end": {
    audit: { ...families, changes: [overwrittenEvent] },
    caughtBy: ["no run sleeps although all its child runs have ended"],
  },
  "impatient-call": {
    audit: { ...families, changes: [impatientCall] },
    caughtBy: ["a run continues only with the ends of the child runs that it waited for"],
  },
  "left-by-failure": {
    audit: { ...families, changes: [leftByFailure, leftByFailureOnSqlite] },
    caughtBy: ["no child run is open after its parent has failed or was canceled"],
  },
  "all-canceled": {
    audit: { ...families, changes: allCanceled },
    caughtBy: ["only the child runs of a run that failed or was canceled are canceled, and all end"],
  },
  "doubled-assignments": {
    audit: { ...quick, clients: 2, minOrders: 5, changes: [doubledAssignments], plan: [] },
    caughtBy: ["a step is repeated only if a kill fell inside it"],
  },
} satisfies Record<string, Mutant>;

export type MutantName = keyof typeof mutants;
