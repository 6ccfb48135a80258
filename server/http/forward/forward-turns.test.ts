import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { perPeriod, createForwardTurns, maxSaved, maxAtOnce, maxBytesPerPeriod, periodMs } from "./forward-turns.ts";

const person: Parameters<ReturnType<typeof createForwardTurns>["take"]>[0] = { credentials: "known", network: null };
const anonymous: typeof person = { credentials: "none", network: null };

/** Requests that ask for their turns, and the numbers of those that have had theirs. */
function open() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = createForwardTurns(10_000);
  const started: number[] = [];
  const responses: EventEmitter[] = [];
  return {
    started,
    passed: turns.passed,
    ask(count: number, sender = person) {
      for (let n = 0; n < count; n += 1) {
        const response = Object.assign(new EventEmitter(), { destroyed: false });
        const number = responses.push(response) - 1;
        turns.take(sender, response as EventEmitter as ServerResponse, () => void started.push(number));
      }
    },
    end: (number: number) => void responses[number]?.emit("close"),
    nextPeriod: () => void vi.advanceTimersByTime(periodMs),
  };
}

test("after many bytes, requests are forwarded one at a time", () => {
  const { started, passed, ask, end } = open();
  ask(1);
  passed(maxBytesPerPeriod);
  ask(3);
  expect(started).toEqual([0]);
  end(0);
  expect(started).toEqual([0, 1]);
  end(1);
  expect(started).toEqual([0, 1, 2]);
});

test("a download that is faster than that does not stop other requests", () => {
  const { started, passed, ask, nextPeriod } = open();
  ask(1);
  passed(100 * maxBytesPerPeriod);
  ask(3);
  for (let period = 1; period <= 3; period += 1) {
    nextPeriod();
    passed(100 * maxBytesPerPeriod);
    expect(started).toHaveLength(1 + period);
  }
});

test("when few bytes pass again, many requests are forwarded at once", () => {
  const { started, passed, ask, nextPeriod } = open();
  ask(1);
  passed(100 * maxBytesPerPeriod);
  for (let period = 1; period <= 5; period += 1) nextPeriod();
  ask(maxAtOnce);
  expect(started).toHaveLength(1 + maxAtOnce);
});

test("many requests without known credentials are forwarded at a limited rate, and do not delay those with known ones", () => {
  const { started, ask, end, nextPeriod } = open();
  /** Each response ends at once. */
  const finish = () => {
    for (let number = 0; number < started.length; number += 1) end(started[number] ?? 0);
  };
  ask(maxSaved + 100, anonymous);
  finish();
  expect(started).toHaveLength(maxSaved);
  ask(1);
  expect(started).toHaveLength(maxSaved + 1);
  for (let period = 1; period <= 3; period += 1) {
    nextPeriod();
    finish();
    expect(started).toHaveLength(maxSaved + 1 + period * perPeriod);
  }
});

test("a flood without credentials does not delay those that are not known yet", () => {
  const { started, ask, end } = open();
  const ended = new Set<number>();
  const finish = () => {
    for (let at = 0; at < started.length; at += 1) {
      const number = started[at] ?? 0;
      if (!ended.has(number)) end(number);
      ended.add(number);
    }
  };
  ask(10_000, anonymous);
  finish();
  expect(started).toHaveLength(maxSaved);
  ask(1, { credentials: "unknown", network: null });
  // It is numbered after those of the flood that were admitted.
  expect(started.at(-1)).toBeGreaterThanOrEqual(2_500);
});

test("a page is forwarded at once again after the flood", () => {
  const { started, ask, end, nextPeriod } = open();
  ask(maxSaved, anonymous);
  for (let number = 0; number < started.length; number += 1) end(started[number] ?? 0);
  for (let period = 0; period < maxSaved / perPeriod; period += 1) nextPeriod();
  expect(vi.getTimerCount()).toBe(0);
  ask(maxAtOnce, anonymous);
  expect(started).toHaveLength(maxSaved + maxAtOnce);
});
