import * as fc from "fast-check";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { leaseMs } from "../../../domain/runs/lease.ts";
import type { ClaimedRun, LostRun, RunTransition, StepRecord } from "../../../ports/store/engine-store.ts";
import type { Store } from "../../../ports/store.ts";
import { aClaim, aConcurrency, aDelivery, aResume, aRun, epoch, limitTo } from "../../testing/factories.ts";
import { type PostgresServer, startPostgres } from "../../testing/postgres-server.ts";
import { listenerName } from "../connection/connect.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.stop());

/** Closes the connection of the store after this many further statements: before the next one is sent, or just after. */
let cut: { statementsLeft: number; isSent: boolean } | null = null;
const query = Client.prototype.query;
beforeEach(() => {
  Client.prototype.query = function (this: Client, ...given: unknown[]) {
    const name: string | undefined = Reflect.get(this, "connectionParameters").application_name;
    const isOfStore = name?.startsWith("signalbox ") === true && name !== listenerName;
    const hasToCut = isOfStore && cut !== null && cut.statementsLeft-- === 0;
    const stream: { destroy(): void } = Reflect.get(this, "connection").stream;
    if (hasToCut && !cut?.isSent) stream.destroy();
    const result: unknown = Reflect.apply(query, this, given);
    if (hasToCut && cut?.isSent) setImmediate(() => stream.destroy());
    if (hasToCut) cut = null;
    return result;
  } as typeof query;
});
afterEach(() => {
  Client.prototype.query = query;
});

const targets = ["narrow", "wide"] as const;
const index = fc.nat({ max: 9 });
const operation = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("add" as const),
      target: fc.constantFrom(...targets),
      count: fc.integer({ min: 1, max: 3 }),
      version: fc.constantFrom("v1", "v2"),
      isAssigned: fc.boolean(),
      isDelivered: fc.boolean(),
      knowsLimit: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("claim" as const),
      pool: fc.constantFrom("shared" as const, "isolated" as const),
      limit: fc.integer({ min: 1, max: 4 }),
      isLimited: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      run: index,
      to: fc.constantFrom("queued", "sleep", "try", "retry", "approval", "completed", "failed"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), run: index }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("resume" as const), run: index, knowsLimit: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("approve" as const), run: index }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("lose" as const),
      fate: fc.constantFrom("resume" as const, "isolate" as const, "fail" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("renew" as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("adopt" as const), isBack: fc.boolean() }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

const step = fc.record({
  operation,
  passedMs: fc.constantFrom(0, 1_000, leaseMs),
  cut: fc.option(fc.record({ statementsLeft: fc.nat({ max: 8 }), isSent: fc.boolean() }), { freq: 2 }),
});

it("the status of each run and the columns that claims read agree after any operations, wherever the connection is cut between two statements", async () => {
  let operations = 0;
  let failures = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
      const store = await server.openStore();
      const known: Known = { ids: [], held: [] };
      let now = epoch;
      try {
        for (const { operation: next, passedMs, cut: where } of steps) {
          now += passedMs;
          cut = where === null ? null : { ...where };
          operations += 1;
          await apply(store, known, { next, now }).catch((error: unknown) => {
            if (where === null) throw error;
            failures += 1;
          });
          cut = null;
          expect(await store.disagreements()).toEqual([]);
        }
      } finally {
        cut = null;
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
  expect(failures).toBeGreaterThan(operations / 20);
});

interface Known {
  ids: string[];
  held: ClaimedRun[];
}

async function apply(store: Store, known: Known, { next, now }: { next: Operation; now: number }): Promise<void> {
  const pick = (at: number) => known.held[at % Math.max(1, known.held.length)];
  switch (next.kind) {
    case "add": {
      const delivery = aDelivery({ receivedAt: now });
      const runs = Array.from({ length: next.count }, (_, at) =>
        aRun({
          createdAt: now,
          version: next.version,
          target: { kind: "workflow", slug: next.target },
          deliveryId: next.isDelivered ? delivery.id : null,
          replayOf: known.ids.at(-1) ?? null,
          ...(next.knowsLimit && next.target === "narrow" ? { concurrency: aConcurrency({ limit: 2 }) } : {}),
          ...(next.isAssigned && at === 0
            ? { assignment: { workerId: "wrk_a", token: `token ${known.ids.length}`, leaseUntil: now + leaseMs } }
            : {}),
        }),
      );
      known.ids.push(...runs.map(({ id }) => id));
      if (next.isDelivered) await store.acceptDelivery({ delivery, runs, idempotency: null });
      else await store.createRuns(runs);
      return;
    }
    case "claim": {
      const limits = limitTo(next.isLimited ? { "workflow:narrow": 2 } : {});
      known.held.push(...(await store.claimRuns(aClaim({ pool: next.pool, limit: next.limit, limits, now }))));
      return;
    }
    case "write": {
      const run = pick(next.run);
      if (run)
        await store.writeProgress({ runId: run.id, token: run.token, now, entries: [], ...progressTo(next.to, now) });
      return;
    }
    case "cancel": {
      const id = known.ids[next.run % Math.max(1, known.ids.length)];
      if (id) await store.requestCancel(id, now);
      return;
    }
    case "resume": {
      const run = await store.getRun(known.ids[next.run % Math.max(1, known.ids.length)] ?? "");
      if (!run) return;
      const { id, target, attempt: seenAttempt } = run;
      const limit = next.knowsLimit && target.slug === "narrow" ? { concurrency: aConcurrency({ limit: 2 }) } : {};
      await store.resumeRuns([aResume({ id, target, seenAttempt, ...limit })], now);
      return;
    }
    case "approve": {
      const run = pick(next.run);
      const decision = { isApproved: true, reason: null, by: "per_1" };
      if (run) await store.decideApproval({ runId: run.id, name: "approval a", decision, now });
      return;
    }
    case "lose": {
      const fate: LostRun["fate"] =
        next.fate === "fail"
          ? { kind: "fail", transition: { to: "waiting", reason: "retry", availableAt: now + 5_000 }, entries: [] }
          : { kind: next.fate };
      const runs = (await store.listHeldRuns("wrk_a")).map(({ id }) => ({ id, fate }));
      return store.releaseLostRuns({ workerId: "wrk_a", now, message: "killed", runs });
    }
    case "renew":
      await store.extendLeases({ runs: known.held, now, leaseMs });
      return;
    case "adopt":
      await store.reconcile(next.isBack ? now - 3_600_000 : now);
  }
}

function progressTo(to: string, now: number): { transition: RunTransition; steps?: StepRecord[] } {
  const availableAt = now + 1_000;
  const begun = { attempt: 1, startedAt: now, finishedAt: null, until: availableAt, sequence: null };
  switch (to) {
    case "queued":
      return { transition: { to: "queued" } };
    case "retry":
      return { transition: { to: "waiting", reason: "retry", availableAt } };
    case "sleep":
      return {
        transition: { to: "waiting", reason: "sleep", availableAt },
        steps: [{ ...begun, name: "nap", kind: "sleep", result: null }],
      };
    case "try":
      return {
        transition: { to: "waiting", reason: "sleep", availableAt },
        steps: [{ ...begun, name: "charge", kind: "step", result: { tries: 1 } }],
      };
    case "approval": {
      const request = { toolCallId: "c1", toolName: "refund", input: {} };
      return {
        transition: { to: "waiting", reason: "sleep", availableAt },
        steps: [{ ...begun, name: "approval a", kind: "approval", result: { request } }],
      };
    }
    case "failed":
      return { transition: { to: "failed", error: null } };
    default:
      return { transition: { to: "completed", output: null } };
  }
}
