import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createCommitTally } from "../../../domain/tallies.ts";
import { createWriteLane, type JobGroup } from "./write-lane.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** A lane, and the sizes of the batches that it has written. */
function createLane(p: { gathers: boolean }) {
  const lane = createWriteLane(createCommitTally(), p);
  const batches: number[] = [];
  const group: JobGroup<number, number> = {
    maxBatch: 100,
    async write(jobs) {
      batches.push(jobs.length);
      return jobs;
    },
  };
  const add = (count: number) => Promise.all(Array.from({ length: count }, (_, n) => lane.add(group, n)));
  return { lane, batches, add };
}

const turns = async (count = 5) => {
  for (let n = 0; n < count; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

it("a few writes do not wait for more", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(7);
  await add(1);
  expect(batches).toEqual([7, 1]);
});

it("after a batch that shows load, the next one waits for two milliseconds", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(8);
  const next = add(3);
  await turns();
  const later = add(4);
  await turns();
  expect(batches).toEqual([8]);
  await vi.advanceTimersByTimeAsync(2);
  await Promise.all([next, later]);
  expect(batches).toEqual([8, 7]);
  // That was no load any more.
  await add(1);
  expect(batches).toEqual([8, 7, 1]);
});

it("a batch of twenty does not wait, nor does one that grows to twenty", async () => {
  const { batches, add } = createLane({ gathers: true });
  await add(20);
  await add(25);
  const first = add(19);
  await turns();
  expect(batches).toEqual([20, 25]);
  await Promise.all([first, add(1)]);
  expect(batches).toEqual([20, 25, 20]);
});

it("a lane that closes does not wait", async () => {
  const { lane, batches, add } = createLane({ gathers: true });
  await add(8);
  const last = add(1);
  await turns();
  await Promise.all([lane.close(), last]);
  expect(batches).toEqual([8, 1]);
});

it("a lane that does not gather never waits", async () => {
  const { batches, add } = createLane({ gathers: false });
  await add(8);
  await add(1);
  expect(batches).toEqual([8, 1]);
});
