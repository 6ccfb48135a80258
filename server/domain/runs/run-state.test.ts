import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type RunStatus, runStatusSchema } from "../../contract/run.ts";
import { isFinal, mayBecome } from "./run-state.ts";

const statuses = fc.constantFrom(...runStatusSchema.options);

describe("run states", () => {
  test("a final state never changes", () => {
    fc.assert(
      fc.property(fc.array(statuses, { maxLength: 30 }), (wishes) => {
        const path: RunStatus[] = ["queued"];
        for (const wish of wishes)
          path.push(mayBecome(path.at(-1) ?? "queued", wish) ? wish : (path.at(-1) ?? "queued"));
        const end = path.findIndex(isFinal);
        expect(new Set(end === -1 ? [] : path.slice(end)).size).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("exactly completed, failed, canceled and timed_out are final", () => {
    expect(runStatusSchema.options.filter(isFinal)).toEqual(["completed", "failed", "canceled", "timed_out"]);
  });

  test("only a running run completes, fails or times out", () => {
    for (const to of ["completed", "failed", "timed_out"] as const) {
      expect(runStatusSchema.options.filter((from) => mayBecome(from, to))).toEqual(["running"]);
    }
  });
});
