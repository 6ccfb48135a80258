import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isEnded } from "../shared/runs/run-state.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import { createChannelHarness, createMemoryTransport, type TestWorker } from "./testing/channel-harness.ts";

type Command =
  | { kind: "queue"; runs: number; sleeps: boolean }
  | { kind: "accept"; runs: number; sleeps: boolean }
  | { kind: "wait"; turns: number }
  | { kind: "disconnect"; worker: number }
  | { kind: "die"; worker: number; death: WorkerDeath; noticedAfter: number }
  | { kind: "restart host" }
  | { kind: "pause"; worker: number; ms: number }
  | { kind: "cancel"; run: number };

const worker = fc.nat(2);
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom("queue" as const, "accept" as const),
      runs: fc.integer({ min: 1, max: 4 }),
      sleeps: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("wait"), turns: fc.nat(12) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("disconnect"), worker }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("die"),
      worker,
      death: fc.constantFrom<WorkerDeath>({ kind: "requested" }, { kind: "killed", signal: "SIGKILL" }),
      noticedAfter: fc.nat(6),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("restart host") }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("pause"), worker, ms: fc.nat(120) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("cancel"), run: fc.nat(20) }) },
);

const capacity = 3;
const steps = ["a", "b", "c", "d"];
const endsWithinMs = 30_000;

test("after any losses, each run ends once, no acknowledged step is repeated, and nothing is written late", async () => {
  const worlds = fc.asyncProperty(
    fc.array(command, { minLength: 4, maxLength: 25 }),
    fc.nat(),
    async (commands, seed) => {
      const world = await createWorld(seed);
      try {
        for (const next of commands) await world.perform(next);
        await world.finish();
        await world.check();
      } finally {
        await world.close();
      }
    },
  );
  await expect(fc.assert(worlds, { numRuns: 25, endOnFailure: true })).resolves.toBeUndefined();
}, 600_000);

async function createWorld(seed: number) {
  const random = createRandom(seed);
  /** Frames arrive in order, after a moment each. */
  const createDeliver = () => {
    let last = Promise.resolve();
    return (push: () => void) => {
      const turns = Math.floor(random() * 6);
      last = last.then(() => waitTurns(turns)).then(push);
    };
  };
  const h = await createChannelHarness(createMemoryTransport(createDeliver));
  const ids: string[] = [];
  const sleepers = new Set<string>();
  const violations: string[] = [];
  const acknowledged = new Set<string>();
  const dying: Promise<unknown>[] = [];
  const waking: Promise<void>[] = [];
  const accepting: Promise<void>[] = [];
  const workers: (TestWorker & { isDead: boolean })[] = [];
  let made = 0;
  let host = await h.startHost();

  function createWorker(slot: number): TestWorker & { isDead: boolean } {
    made += 1;
    const created = h.createWorker({
      id: `wrk_${made}`,
      capacity: slot === 2 ? 1 : capacity,
      identity: { pool: slot === 2 ? "isolated" : "shared" },
      timeoutMs: 3_600_000,
      run: async (_input, ctx) => {
        for (const name of steps) {
          const key = `${ctx.run.id} ${name}`;
          await ctx.step(name, async () => {
            if (living.isDead) await new Promise(() => {});
            // A process that is paused inside a step completes that step when it resumes.
            if (acknowledged.has(key)) violations.push(`${created.id} repeats ${key}`);
            await untilAwake();
            await waitTurns(Math.floor(random() * 8));
            return name;
          });
          acknowledged.add(key);
          if (name === "b" && sleepers.has(ctx.run.id)) await ctx.sleep("nap", 1_000);
          // About as long as a commit takes, so that pauses also fall between steps.
          await new Promise((resolve) => setTimeout(resolve, random() * 5));
          await untilAwake();
        }
        return "done";
      },
    });
    /** The code of a paused process continues later, that of a dead one never. */
    async function untilAwake(): Promise<void> {
      while (created.isPaused() && !living.isDead) await waitTurns(1);
      if (living.isDead) await new Promise(() => {});
    }

    const living = Object.assign(created, { isDead: false });
    void living.loop.start();
    return living;
  }

  async function die(slot: number, death: WorkerDeath, noticedAfter: number): Promise<void> {
    const dead = workers[slot];
    if (!dead) return;
    dead.isDead = true;
    dead.kill();
    workers[slot] = createWorker(slot);
    dying.push(waitTurns(noticedAfter).then(() => host.workerDied({ workerId: dead.id, death, deadlines: new Map() })));
  }

  /** Pauses a worker for longer than its leases: others get its runs. It reads earlier messages when it resumes. */
  async function pause(slot: number, ms: number): Promise<void> {
    const paused = workers[slot];
    paused?.pause();
    await waitTurns(4);
    h.advance(20_000);
    await h.store.reconcile(h.clock.now());
    host.wake();
    waking.push(new Promise((resolve) => setTimeout(resolve, ms)).then(() => paused?.resume()));
  }

  async function accept({ runs, sleeps }: { runs: number; sleeps: boolean }): Promise<void> {
    const accepted = await h.acceptRuns(runs);
    ids.push(...accepted);
    if (sleeps) for (const id of accepted) sleepers.add(id);
  }

  for (const slot of [0, 1, 2]) workers.push(createWorker(slot));

  return {
    async perform(next: Command): Promise<void> {
      switch (next.kind) {
        case "queue":
          for (let n = 0; n < next.runs; n += 1) {
            const id = await h.createRun();
            ids.push(id);
            if (next.sleeps) sleepers.add(id);
          }
          return host.wake();
        case "accept":
          // Not awaited: the worker or the host may end before the commit.
          accepting.push(accept(next));
          return;
        case "wait":
          return await waitTurns(next.turns);
        case "disconnect":
          return workers[next.worker]?.disconnect();
        case "die":
          return await die(next.worker, next.death, next.noticedAfter);
        case "restart host":
          // Deaths are reported to the current host. A supervisor reports them again to the next one.
          await Promise.all(dying);
          host = await h.startHost();
          return;
        case "pause":
          return await pause(next.worker, next.ms);
        case "cancel": {
          const id = ids[next.run];
          if (id) await h.store.requestCancel(id, h.clock.now());
          if (id) host.cancel(id);
        }
      }
    },
    /** Everything ends without the help of a lease. */
    async finish(): Promise<void> {
      await Promise.all([...accepting, ...dying, ...waking]);
      const until = performance.now() + endsWithinMs;
      for (;;) {
        const open = (await Promise.all(ids.map((id) => h.read(id)))).filter(({ run }) => !isEnded(run.status));
        if (open.length === 0) return;
        if (performance.now() > until)
          throw new Error(
            `These runs do not end: ${open.map(({ run, kinds }) => `${run.id} ${run.status} (${kinds.join(", ")})`).join("; ")}`,
          );
        h.advance(1_000);
        host.wake();
        await waitTurns(10);
      }
    },
    async check(): Promise<void> {
      expect(violations).toEqual([]);
      for (const id of ids) {
        const { run, kinds } = await h.read(id);
        const ends = kinds.filter((kind) => ["completed", "failed", "timed_out", "canceled"].includes(kind));
        expect(ends, `${id}: ${kinds.join(", ")}`).toEqual([run.status]);
        expect(kinds.at(-1)).toBe(run.status);
        if (run.status === "completed") expect(run.output).toBe("done");
        for (const step of steps) {
          const completed = kinds.filter((kind) => kind === `step_completed ${step}`).length;
          expect(completed, `${id}: ${kinds.join(", ")}`).toBeLessThanOrEqual(1);
          if (run.status === "completed") expect(completed).toBe(1);
        }
        expect(findLateEntries(kinds), `${id}: ${kinds.join(", ")}`).toEqual([]);
      }
      expect(await h.store.countOpenRuns()).toEqual({ queued: 0, running: 0, waiting: 0 });
      for (const { id } of workers) expect(await h.store.listHeldRuns(id)).toEqual([]);
    },
    close: h.close,
  };
}

/** The entries that were written between the loss of a worker and the next claim. */
function findLateEntries(kinds: readonly string[]): string[] {
  const late: string[] = [];
  let isHeld = false;
  for (const kind of kinds) {
    if (kind === "attempt_started" || kind === "resumed") isHeld = true;
    else if (kind === "worker_lost") isHeld = false;
    else if (!isHeld && kind.startsWith("step")) late.push(kind);
  }
  return late;
}

async function waitTurns(turns: number): Promise<void> {
  for (let n = 0; n < turns; n += 1) await new Promise(setImmediate);
}

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
