import { expect, it } from "vitest";
import type { RunWait } from "../../contract/run.ts";
import { describeWait } from "./describe-wait.ts";

it.each<[RunWait, string]>([
  [{ kind: "key", runId: "run_a", isBlocked: false }, "key customer_7: behind run_a"],
  [{ kind: "key", runId: "run_a", isBlocked: true }, "key customer_7: blocked by run_a, which has failed"],
  [{ kind: "key", runId: null, isBlocked: false }, "key customer_7: behind another run"],
  [
    {
      kind: "event",
      step: "outcome",
      events: [
        { source: "order-shipped", match: { "/order/id": "A1" } },
        { source: "order-canceled", match: {} },
      ],
      until: "2026-12-05T10:00:00.000Z",
    },
    'event order-shipped {"/order/id": "A1"} or order-canceled until 2026-12-05 10:00:00.000 UTC',
  ],
  [{ kind: "concurrency", limit: 1_000, counted: 1_000 }, "concurrency 1,000/1,000"],
])("%j in words", (wait, words) => expect(describeWait(wait, { key: "customer_7" })).toBe(words));
