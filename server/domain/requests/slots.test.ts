import * as fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSlots } from "./slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const limits = { maxActive: 3, maxActivePerGroup: 2, maxWaiting: 4, maxWaitingPerGroup: 3, maxWaitMs: 1_000 };

/** The current states: "running", "rejected" or "waiting". */
function look(acquired: Promise<(() => void) | null>) {
  const one = { state: "waiting", free: () => {} };
  void acquired.then((free) => Object.assign(one, free ? { state: "running", free } : { state: "rejected" }));
  return one;
}

const settle = () => vi.advanceTimersByTimeAsync(0);

it("limits running tasks per group and in total, limits waiting tasks, and rejects the rest", async () => {
  const slots = createSlots(limits);
  const first = Array.from({ length: 6 }, () => look(slots.acquire("a")));
  const second = Array.from({ length: 3 }, () => look(slots.acquire("b")));
  await settle();
  expect(first.map(({ state }) => state)).toEqual(["running", "running", "waiting", "waiting", "waiting", "rejected"]);
  expect(second.map(({ state }) => state)).toEqual(["running", "waiting", "rejected"]);
});

it("groups take turns: a task behind a flooded group waits for one slot, not for the flood", async () => {
  const slots = createSlots({ ...limits, maxActive: 1, maxWaiting: 100, maxWaitingPerGroup: 100 });
  const flood = Array.from({ length: 50 }, () => look(slots.acquire("flooded")));
  const other = look(slots.acquire("other"));
  await settle();
  flood[0]?.free();
  await settle();
  expect([flood[1]?.state, other.state]).toEqual(["running", "waiting"]);
  flood[1]?.free();
  await settle();
  expect([flood[2]?.state, other.state]).toEqual(["waiting", "running"]);
});

it("a member has a limit in a group, so that one client does not fill it", async () => {
  const slots = createSlots({ ...limits, maxPerMember: 2 });
  const greedy = Array.from({ length: 3 }, () => look(slots.acquire("a", "192.0.2.1")));
  const other = look(slots.acquire("a", "192.0.2.2"));
  await settle();
  expect([...greedy, other].map(({ state }) => state)).toEqual(["running", "running", "rejected", "waiting"]);
  greedy[0]?.free();
  await settle();
  expect(other.state).toBe("running");
});

it("rejects tasks that waited too long, and frees their slot", async () => {
  const slots = createSlots(limits);
  const running = Array.from({ length: 2 }, () => look(slots.acquire("a")));
  const late = Array.from({ length: 3 }, () => look(slots.acquire("a")));
  await vi.advanceTimersByTimeAsync(1_001);
  expect(late.map(({ state }) => state)).toEqual(["rejected", "rejected", "rejected"]);
  const next = look(slots.acquire("a"));
  running[0]?.free();
  running[0]?.free();
  await settle();
  expect(next.state).toBe("running");
});

it("every sequence stays within the limits, leaves no slot unused, and loses none", async () => {
  const step = fc.record({
    group: fc.constantFrom("a", "b", "c"),
    member: fc.constantFrom("x", "y"),
    free: fc.option(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const slots = createSlots({ ...limits, maxPerMember: 3 });
      const all: (ReturnType<typeof look> & { group: string; isFree: boolean })[] = [];
      const running = (group?: string) =>
        all.filter((one) => one.state === "running" && !one.isFree && (group === undefined || one.group === group));
      const end = (one: (typeof all)[number] | undefined) => {
        if (!one) return;
        one.isFree = true;
        one.free();
      };
      for (const { group, member, free } of steps) {
        all.push(Object.assign(look(slots.acquire(group, member)), { group, isFree: false }));
        await settle();
        if (free !== null) end(running()[free % Math.max(1, running().length)]);
        await settle();
        expect(running().length).toBeLessThanOrEqual(limits.maxActive);
        const waiting = all.filter(({ state }) => state === "waiting");
        expect(waiting.length).toBeLessThanOrEqual(limits.maxWaiting);
        for (const name of ["a", "b", "c"]) {
          expect(running(name).length).toBeLessThanOrEqual(limits.maxActivePerGroup);
          const isFull = running().length === limits.maxActive || running(name).length === limits.maxActivePerGroup;
          expect(isFull || waiting.every((one) => one.group !== name)).toBe(true);
        }
      }
      for (let one = running()[0]; one; one = running()[0]) {
        end(one);
        await settle();
      }
      expect(all.some(({ state }) => state === "waiting")).toBe(false);
      expect(await slots.acquire("a", "x")).not.toBeNull();
    }),
    { numRuns: 200 },
  );
});
