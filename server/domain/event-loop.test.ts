import { expect, it, vi } from "vitest";
import { createTurns, oncePerTurn } from "./event-loop.ts";

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

it("loads each key once in one turn of the event loop, and again in the next", async () => {
  let calls = 0;
  const ask = async (key: string) => `${key} in call ${(calls += 1)}`;
  const once = oncePerTurn(ask);
  expect(await Promise.all([once("a"), once("a"), once("b"), once("a")])).toEqual([
    "a in call 1",
    "a in call 1",
    "b in call 2",
    "a in call 1",
  ]);
  await nextTurn();
  expect(await once("a")).toBe("a in call 3");
});

it("does not remember a failure any longer", async () => {
  const ask = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error("away")).mockResolvedValue("back");
  const once = oncePerTurn(ask);
  await expect(once("a")).rejects.toThrow("away");
  await nextTurn();
  expect(await once("a")).toBe("back");
});

/** Turns over a clock that only slices and rests move. */
function turnsOverTime() {
  const time = { now: 0, worked: 0 };
  const inTurn = createTurns({
    now: () => time.now,
    after: (ms, callback) =>
      void setImmediate(() => {
        time.now += ms;
        callback();
      }),
  });
  const work = (ms: number) => () => {
    time.now += ms;
    time.worked += ms;
    return time.now;
  };
  return { time, inTurn, work };
}

it("runs slices one at a time, in their order, and pauses after each for as long as it took", async () => {
  const { inTurn, work } = turnsOverTime();
  expect(await Promise.all([inTurn(work(5)), inTurn(work(10)), inTurn(work(1))])).toEqual([5, 20, 31]);
});

it("all readers together get half of the time, and each gets its share", async () => {
  const { time, inTurn, work } = turnsOverTime();
  const shares = await Promise.all(
    Array.from({ length: 8 }, async () => {
      let slices = 0;
      for (; time.now < 1_000; slices += 1) await inTurn(work(4));
      return slices;
    }),
  );
  expect(time.worked / time.now).toBeLessThan(0.51);
  expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
});

it("a failed slice does not affect others, and the next one runs", async () => {
  const { inTurn, work } = turnsOverTime();
  const failing = inTurn(() => Promise.reject(new Error("no")));
  const next = inTurn(work(1));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe(1);
});
