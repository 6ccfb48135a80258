import { expect, it } from "vitest";
import { describeWait } from "./describe-wait.ts";

it.each([
  [{ kind: "key", runId: "run_a", isBlocked: false }, "key customer_7: behind run_a"],
  [{ kind: "key", runId: "run_a", isBlocked: true }, "key customer_7: blocked by run_a, which has failed"],
  [{ kind: "key", runId: null, isBlocked: false }, "key customer_7: behind another run"],
  [{ kind: "concurrency", limit: 1_000, counted: 1_000 }, "concurrency 1,000/1,000"],
] as const)("%j in words", (wait, words) => expect(describeWait(wait, { key: "customer_7" })).toBe(words));
