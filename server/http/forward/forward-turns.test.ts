import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  bytesPerPeriod,
  createForwardTurns,
  maxAtOnce,
  maxSaved,
  maxSavedPeriods,
  perPeriod,
  periodMs,
} from "./forward-turns.ts";

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
    /** `passed`: the numbers of the parts that were passed. */
    part(
      number: number,
      { bytes, passed, sender = person }: { bytes: number; passed: number[]; sender?: typeof person },
    ) {
      const response = Object.assign(new EventEmitter(), { destroyed: false });
      const pass = () => void passed.push(number);
      turns.takeBytes({ ...sender, response: response as EventEmitter as ServerResponse, bytes, pass });
      return response;
    },
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

const chunk = 64 * 1024;

test.each([person, anonymous])("the bytes of responses are passed at a limited rate, in their order: %o", (sender) => {
  const { part, nextPeriod } = open();
  const ofPeriod = bytesPerPeriod[sender.credentials] / chunk;
  const saved = maxSavedPeriods * ofPeriod;
  const passed: number[] = [];
  for (let number = 0; number < saved + 10 * ofPeriod; number += 1) part(number, { bytes: chunk, passed, sender });
  expect(passed).toHaveLength(saved);
  for (let period = 1; period <= 3; period += 1) {
    nextPeriod();
    expect(passed).toHaveLength(saved + period * ofPeriod);
  }
  expect(passed).toEqual([...passed].sort((a, b) => a - b));
});

test("a part of any size is passed, and delays those behind it", () => {
  const { part, nextPeriod } = open();
  const passed: number[] = [];
  part(0, { bytes: (maxSavedPeriods + 2) * bytesPerPeriod.known, passed });
  part(1, { bytes: chunk, passed });
  nextPeriod();
  nextPeriod();
  expect(passed).toEqual([0]);
  nextPeriod();
  expect(passed).toEqual([0, 1]);
});

test("downloads without known credentials do not delay those with known ones, and closed ones delay none", () => {
  const { part, nextPeriod } = open();
  const passed: number[] = [];
  const whole = maxSavedPeriods * bytesPerPeriod.none;
  part(0, { bytes: whole, passed, sender: anonymous });
  const closed = part(1, { bytes: 100 * whole, passed, sender: anonymous });
  part(2, { bytes: chunk, passed, sender: anonymous });
  part(3, { bytes: chunk, passed });
  expect(passed).toEqual([0, 3]);
  closed.destroyed = true;
  nextPeriod();
  expect(passed).toEqual([0, 3, 2]);
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
  // Nothing is left to be done.
  expect(vi.getTimerCount()).toBe(0);
  ask(maxAtOnce, anonymous);
  expect(started).toHaveLength(maxSaved + maxAtOnce);
});
