import { expect, it } from "vitest";
import { deliveriesHref, evidenceOfTrigger, stoppedCount, describeStopped } from "./evidence.ts";

const counts = (matched: number, request = 0, filter = 0) => ({
  matched,
  request_mismatch: request,
  filter_mismatch: filter,
  disabled: 0,
});

it("a delivery to both attachments of a trigger counts once", () => {
  expect(evidenceOfTrigger([counts(388, 12, 10), counts(388, 12, 10)])).toEqual({
    passed: 388,
    request: 12,
    filter: 10,
    disabled: 0,
  });
});

it("stopped deliveries are listed by stage", () => {
  const evidence = { passed: 388, request: 12, filter: 1_010, disabled: 0 };
  expect(stoppedCount(evidence)).toBe(1_022);
  expect(describeStopped(evidence)).toBe("12 stopped by request, 1,010 by filter");
  expect(describeStopped({ ...evidence, request: 0 })).toBe("1,010 stopped by filter");
});

it("a number links to exactly the deliveries that it counts", () => {
  const href = deliveriesHref({
    endpoint: "team/billing",
    trigger: "paid",
    verdict: "stopped",
    since: "2026-01-01T00:00:00.000Z",
  });
  expect(Object.fromEntries(new URL(href, "http://localhost").searchParams)).toEqual({
    endpoint: "team/billing",
    trigger: "paid",
    verdict: "stopped",
    since: "2026-01-01T00:00:00.000Z",
  });
});
