import { describe, expect, it } from "vitest";
import type { DeliverySummary, Verdict } from "../contract/delivery.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { describeUnlisted } from "../shared/deliveries/describe-reason.ts";
import { projectFixture } from "../http/rest/testing/project-fixture.ts";
import { describeRow, showDelivery } from "./describe-delivery.ts";

const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  trigger: "billing-audit",
  attachmentId: "billing-audit:notify-finance",
  target: { kind: "workflow", slug: "notify-finance" },
  outcome: "filter_mismatch",
  runId: null,
  reasons: [{ pointer: "/data/amount", code: "too_small", message: "Too small", expected: "≥ 10000", actual: "4200" }],
  ...over,
});
const delivery: DeliverySummary = {
  id: "dlv_1",
  endpoint: "billing",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: {},
  bodyBytes: 0,
  bodySha256: null,
  outcome: "skipped",
  responseStatus: 200,
  problem: null,
  verdicts: [verdict()],
  unlistedVerdicts: [],
  durationMs: 1,
  redeliveryOf: null,
};
const sources = projectFixture();
const project = { project: { current: () => sources } };
const describeDecision = (row: DeliverySummary) => describeRow(project, row).decision;
const describeVerdicts = (...verdicts: Verdict[]) => describeDecision({ ...delivery, verdicts });
const eventOf = (row: DeliverySummary, text: string) => describeRow(project, row, Buffer.from(text)).event;
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

it("a delivery has the kind of its event, by its header and its fields", () => {
  const github = { ...delivery, headers: { "x-github-event": "issues" } };
  expect(eventOf(github, '{"action": "opened", "issue": {}}')).toBe("issues opened");
  expect(eventOf(delivery, '{"type": "invoice.paid"}')).toBe("invoice.paid");
  expect(eventOf(github, "not JSON")).toBe("issues");
  expect(eventOf(delivery, '{"amount": 5}')).toBeNull();
});

it("a held delivery waits for a release, and has the reason", () => {
  const held = { ...delivery, outcome: "held" as const };
  expect(describeDecision(held)).toBe("Waits for a release: filter: /data/amount: expected ≥ 10000, was 4200");
  expect(describeDecision({ ...held, verdicts: [verdict(), verdict({ outcome: "request_mismatch" })] })).toBe(
    "Waits for a release: 0 of 2 fired, stopped at filter, request; billing-audit: /data/amount: expected ≥ 10000, was 4200",
  );
});

it("a disabled trigger has the time and the reason, and nothing about the body", () => {
  const reasons = [
    {
      pointer: "",
      code: "disabled",
      message: "Disabled since 2026-01-01T00:00:00.000Z: noisy",
      expected: null,
      actual: null,
    },
  ];
  expect(describeDecision({ ...delivery, verdicts: [verdict({ outcome: "disabled", reasons })] })).toBe(
    "Disabled since 2026-01-01T00:00:00.000Z: noisy",
  );
});

it("a delivery to several triggers has the number and the names of those that fired", () => {
  const fired = verdict({ outcome: "matched", trigger: "invoice-paid", reasons: [] });
  expect(describeDecision({ ...delivery, outcome: "accepted", verdicts: [verdict(), fired] })).toBe(
    "1 of 2 fired: invoice-paid",
  );
  expect(describeDecision({ ...delivery, verdicts: [verdict(), verdict({ outcome: "request_mismatch" })] })).toBe(
    "0 of 2 fired, stopped at filter, request; billing-audit: /data/amount: expected ≥ 10000, was 4200",
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

it("only a delivery to an unknown endpoint has a probable one", () => {
  const missed = {
    ...delivery,
    endpoint: "biling",
    verdicts: [],
    problem: { ...problem, code: "unknown_endpoint", status: 404 },
  };
  expect(describeRow(project, missed)).toMatchObject({ decision: "No endpoint biling", probableEndpoint: "billing" });
  expect(describeRow(project, { ...missed, endpoint: "something-else" }).probableEndpoint).toBeNull();
  expect(describeRow(project, { ...delivery, endpoint: "biling" }).probableEndpoint).toBeNull();
});

it("verdicts that are not listed are counted, with the stage and the field that stopped them", () => {
  const unlisted = { outcome: "request_mismatch", pointer: "/type", actual: '"refund"', count: 1200 } as const;
  const many = { ...delivery, unlistedVerdicts: [unlisted] };
  expect(describeDecision(many)).toBe(
    "0 of 1,201 fired, stopped at filter, request; billing-audit: /data/amount: expected ≥ 10000, was 4200",
  );
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
    "2 triggers disabled",
  ]);
});

const findWoken = async () => new Map();

const evaluate = async (body: string, type: string, formats: readonly BodyFormat[]) => {
  const triggers = sources.triggers.map((trigger) => ({ ...trigger, body: formats }));
  const changed = { ...sources, byEndpoint: Map.groupBy(triggers, ({ endpoint }) => endpoint) };
  const stored = {
    ...delivery,
    endpoint: "signup",
    headers: { "content-type": type },
    body: Buffer.from(body).toString("base64"),
    json: null,
  };
  const deps = { project: { current: () => changed }, store: { getDelivery: async () => stored, findWoken } };
  return (await showDelivery(deps, stored.id)).evaluated;
};

describe("the body of a delivery as its triggers evaluate it", () => {
  const form = "application/x-www-form-urlencoded; charset=utf-8";
  const json: BodyFormat = { type: "json", bigints: "string" };
  const payload: BodyFormat = { type: "form", field: "payload", bigints: "number" };

  it("is the JSON in the field of a form as the sender wrote it, else all fields, also if no trigger accepts forms", async () => {
    const body = new URLSearchParams([
      ["payload", '{ "a": 1.0 }'],
      ["b", "1"],
      ["b", "2"],
    ]).toString();
    const fields = { format: "form", text: '{"payload":"{ \\"a\\": 1.0 }","b":["1","2"]}' };
    expect(await evaluate(body, form, [json, payload])).toEqual({ format: "form", text: '{ "a": 1.0 }' });
    expect(await evaluate(body, form, [{ ...payload, field: null }])).toEqual(fields);
    expect(await evaluate(body, form, [{ ...payload, field: "other" }])).toEqual(fields);
    expect(await evaluate(body, form, [json])).toEqual(fields);
  });

  it("has the files of a multipart form as references", async () => {
    const body =
      '--b1\r\nContent-Disposition: form-data; name="a"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b1--\r\n';
    const read = await evaluate(body, "multipart/form-data; boundary=b1", [{ type: "multipart" }]);
    expect(JSON.parse(read?.text ?? "")).toMatchObject({
      a: { filename: "a.txt", size: 2, path: "/api/v1/deliveries/dlv_1/files/0" },
    });
  });

  it("is a string of text, and nothing else than the body for JSON and for what cannot be read", async () => {
    expect(await evaluate('say "hi"', "text/plain", [{ type: "text" }])).toEqual({
      format: "text",
      text: '"say \\"hi\\""',
    });
    for (const [body, type] of [
      ['{ "a": 1 }', "application/json"],
      ['{ "a": 1 }', "text/plain"],
      ["{", "application/json"],
      ["--b1", "multipart/form-data"],
    ] as const)
      expect(await evaluate(body, type, [json])).toBeNull();
  });
});

it("a delivery of another service's feed has the decision of that service, and no response to a sender", async () => {
  const origin = {
    url: "https://hooks.example.com",
    outcome: "accepted",
    responseStatus: 202,
    verdicts: [{ attachmentId: "billing-audit:notify-finance", outcome: "matched" }],
    isMatchOnly: false,
    isMasked: true,
  };
  const show = (verdicts: unknown[]) => {
    const headers = { "signalbox-origin": JSON.stringify({ ...origin, verdicts }) };
    const store = { getDelivery: async () => ({ ...delivery, headers, body: null, json: null }), findWoken };
    return showDelivery({ ...project, store }, delivery.id);
  };
  expect(await show(origin.verdicts)).toMatchObject({
    response: null,
    origin: {
      url: origin.url,
      text: "Its response was 202 (accepted). Its triggers decided otherwise. Sensitive values are fakes.",
      differences: ["billing-audit:notify-finance: matched there, filter mismatch here"],
    },
  });
  const [same] = origin.verdicts.map((one) => ({ ...one, outcome: "filter_mismatch" }));
  expect(await show([same])).toMatchObject({ origin: { differences: [] } });
});

it("a trigger without a target matches, and wakes runs, or no run waits for it", () => {
  const waking = verdict({
    trigger: "order-shipped",
    attachmentId: "order-shipped",
    target: null,
    outcome: "matched",
    reasons: [],
  });
  const fired = verdict({ outcome: "matched", reasons: [] });
  expect(describeVerdicts(waking)).toBe("order-shipped matched, no run waits for it");
  expect(describeVerdicts(waking, verdict())).toBe("0 of 2 fired; order-shipped matched, no run waits for it");
  expect(describeVerdicts(waking, fired)).toBe(
    "1 of 2 fired: billing-audit; order-shipped matched, no run waits for it",
  );
  const woke = ["run_1", "run_2", "run_3", "run_4"].map((runId) => ({ runId, source: "order-shipped" }));
  const wokeBy = (...verdicts: Verdict[]) => describeDecision({ ...delivery, outcome: "accepted", verdicts, woke });
  expect(wokeBy(waking)).toBe("order-shipped matched; woke run_1, run_2, run_3 and 1 more run");
  expect(wokeBy(waking, fired)).toBe(
    "1 of 2 fired: billing-audit; order-shipped matched; woke run_1, run_2, run_3 and 1 more run",
  );
});
