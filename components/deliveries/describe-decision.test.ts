import { expect, it } from "vitest";
import type { Verdict } from "../../server/contract/delivery.ts";
import { formatVerdict } from "../run-form/verdict-preview.tsx";
import { describeDecision, describeUnlisted, nearMissOf } from "./describe-decision.ts";
import { verdictMarks } from "./detail/verdict-marks.ts";

const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  trigger: "billing-audit",
  attachmentId: "billing-audit:notify-finance",
  target: { kind: "workflow", slug: "notify-finance" },
  outcome: "filter_mismatch",
  runId: null,
  reasons: [{ pointer: "/data/amount", code: "too_small", message: "Too small", expected: "≥ 10000", actual: "4200" }],
  ...over,
});
const delivery = {
  endpoint: "billing",
  outcome: "skipped" as const,
  problem: null,
  verdicts: [verdict()],
  unlistedVerdicts: [],
};
const problem = {
  type: "/errors/x",
  title: "The body does not match",
  status: 422,
  code: "request_mismatch",
  detail: "Why.",
};

it("a delivery that one trigger did not match has the stage, the path and the actual value", () => {
  expect(describeDecision(delivery)).toBe("filter: /data/amount: expected ≥ 10000, was 4200");
  expect(
    describeDecision({
      ...delivery,
      outcome: "rejected",
      problem,
      verdicts: [
        verdict({
          outcome: "request_mismatch",
          reasons: [{ pointer: "", code: "", message: "Required", expected: null, actual: null }],
        }),
      ],
    }),
  ).toBe("request: the whole body: Required");
  const missing = {
    pointer: "/data/amount",
    code: "invalid_type",
    message: "Required",
    expected: "a number",
    actual: null,
  };
  expect(describeDecision({ ...delivery, verdicts: [verdict({ reasons: [missing] })] })).toBe(
    "filter: /data/amount: expected a number, missing",
  );
});

it("a held delivery waits for a release, and has the reason", () => {
  const held = { ...delivery, outcome: "held" as const };
  expect(describeDecision(held)).toBe("Waits for a release: filter: /data/amount: expected ≥ 10000, was 4200");
  expect(describeDecision({ ...held, verdicts: [verdict(), verdict({ outcome: "request_mismatch" })] })).toBe(
    "Waits for a release: 0 of 2 fired, stopped at filter, request",
  );
});

it("a disabled trigger has the time and the reason, and nothing about the body", () => {
  const reasons = [
    {
      pointer: "",
      code: "disabled",
      message: "Switched off since 2026-01-01T00:00:00.000Z: noisy",
      expected: null,
      actual: null,
    },
  ];
  expect(describeDecision({ ...delivery, verdicts: [verdict({ outcome: "disabled", reasons })] })).toBe(
    "Switched off since 2026-01-01T00:00:00.000Z: noisy",
  );
  expect(formatVerdict(verdict({ outcome: "disabled", reasons }))).toBe(
    "Switched off since 2026-01-01T00:00:00.000Z: noisy",
  );
  expect(verdictMarks([verdict({ outcome: "disabled", reasons })], null)).toEqual([]);
});

it("a delivery to several triggers has the number and the names of those that fired", () => {
  const fired = verdict({ outcome: "matched", trigger: "invoice-paid", reasons: [] });
  expect(describeDecision({ ...delivery, outcome: "accepted", verdicts: [verdict(), fired] })).toBe(
    "1 of 2 fired: invoice-paid",
  );
  expect(describeDecision({ ...delivery, verdicts: [verdict(), verdict({ outcome: "request_mismatch" })] })).toBe(
    "0 of 2 fired, stopped at filter, request",
  );
  expect(describeDecision({ ...delivery, outcome: "accepted", verdicts: [fired] })).toBe("invoice-paid fired");
});

it("a rejected delivery has the problem and its first path", () => {
  expect(describeDecision({ ...delivery, problem, verdicts: [] })).toBe("The body does not match. Why.");
  expect(
    describeDecision({
      ...delivery,
      problem: { ...problem, errors: [{ pointer: "", code: "", message: "expected object" }] },
      verdicts: [],
    }),
  ).toBe("The body does not match: the whole body, expected object");
});

it("a URL verification is described as answered", () => {
  expect(describeDecision({ ...delivery, outcome: "skipped", problem: null, verdicts: [] })).toBe(
    "URL verification answered",
  );
});

it("a near miss names the similar endpoint", () => {
  const missed = {
    ...delivery,
    endpoint: "githb",
    verdicts: [],
    problem: {
      ...problem,
      code: "unknown_endpoint",
      detail: 'No trigger listens on this endpoint. Did you mean "github"?',
    },
  };
  expect(describeDecision(missed)).toBe("No endpoint githb");
  expect(nearMissOf(missed)).toBe("github");
  expect(nearMissOf({ problem: { ...missed.problem, detail: "No trigger listens on this endpoint." } })).toBeNull();
  expect(nearMissOf(delivery)).toBeNull();
});

it("verdicts that are not listed are counted, with the stage and the field that stopped them", () => {
  const unlisted = { outcome: "request_mismatch", pointer: "/type", actual: '"refund"', count: 1200 } as const;
  const many = { ...delivery, unlistedVerdicts: [unlisted] };
  expect(describeDecision(many)).toBe("0 of 1,201 fired, stopped at filter, request");
  expect(describeDecision({ ...many, verdicts: [] })).toBe("0 of 1,200 fired, stopped at request");
  expect(describeDecision({ ...many, verdicts: [verdict({ outcome: "matched", reasons: [] })] })).toBe(
    "1 of 1,201 fired: billing-audit",
  );
  expect(
    [
      unlisted,
      { ...unlisted, actual: null },
      { ...unlisted, pointer: "", actual: null },
      { ...unlisted, pointer: null, actual: null },
      { outcome: "disabled", pointer: null, actual: null, count: 2 } as const,
    ].map(describeUnlisted),
  ).toEqual([
    '1,200 triggers stopped by request at /type, was "refund"',
    "1,200 triggers stopped by request at /type, missing",
    "1,200 triggers stopped by request at the whole body",
    "1,200 triggers stopped by request, at various fields",
    "2 triggers switched off",
  ]);
});
