import * as fc from "fast-check";
import { expect, test } from "vitest";
import { judgeWeb } from "./judge-web.ts";

test("a web process that has spoken in the last eight seconds is never ended", () => {
  fc.assert(
    fc.property(fc.nat(8_000), fc.nat(8_000), (silentMs, lifelessMs) => {
      expect(judgeWeb({ silentMs, lifelessMs: Math.min(silentMs, lifelessMs) })).toBe("fine");
    }),
  );
});

test("one of which no thread has spoken for longer was stopped", () => {
  expect(judgeWeb({ silentMs: 8_001, lifelessMs: 8_001 })).toBe("stopped");
});

test("one that lives may hold its event loop up for 18 seconds: a locked store costs it five at a time", () => {
  expect(judgeWeb({ silentMs: 18_000, lifelessMs: 1_000 })).toBe("fine");
  expect(judgeWeb({ silentMs: 18_001, lifelessMs: 1_000 })).toBe("blocked");
});
