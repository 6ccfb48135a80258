import { expect, it } from "vitest";
import type { Verdict } from "../../server/contract/verdict.ts";
import { whatHappened } from "./deliveries-table.tsx";

const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  trigger: "billing-audit",
  attachmentId: "billing-audit:notify-finance",
  target: { kind: "workflow", slug: "notify-finance" },
  outcome: "filter_mismatch",
  runId: null,
  reasons: [{ pointer: "/data/amount", code: "too_small", message: "Too small", expected: ">= 10000", actual: "4200" }],
  ...over,
});

it("a delivery that fired says what it started", () => {
  const verdicts = [verdict(), verdict({ outcome: "matched", trigger: "invoice-paid", target: { kind: "workflow", slug: "post-to-ledger" } })];
  expect(whatHappened({ problem: null, verdicts })).toBe("invoice-paid → post-to-ledger");
});

it("a delivery that one trigger passed over says where and why", () => {
  expect(whatHappened({ problem: null, verdicts: [verdict()] })).toBe("billing-audit: /data/amount, Too small");
});

it("a delivery that several triggers passed over says how many", () => {
  expect(whatHappened({ problem: null, verdicts: [verdict(), verdict()] })).toBe("none of 2 triggers fired");
});

it("a rejected delivery says the problem, and the first place where it is", () => {
  const problem = { type: "/errors/request_mismatch", title: "The body does not match", status: 422, code: "request_mismatch", detail: "" };
  expect(whatHappened({ problem, verdicts: [] })).toBe("The body does not match");
  const errors = [{ pointer: "", code: "invalid_type", message: "expected object" }];
  expect(whatHappened({ problem: { ...problem, errors }, verdicts: [verdict()] })).toBe("The body does not match: the whole body, expected object");
});
