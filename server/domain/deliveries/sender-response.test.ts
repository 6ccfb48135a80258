import { describe, expect, it } from "vitest";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { Reply } from "../../contract/project/endpoint.ts";
import { sentResponse } from "./sender-response.ts";

type Recorded = Parameters<typeof sentResponse>[0];

function responseOf(delivery: Omit<Recorded, "redeliveryOf">, reply: Reply | null = null) {
  const response = sentResponse({ ...delivery, redeliveryOf: null }, { reply });
  if (response === null) throw new Error("it was to have a sender");
  return response;
}

const matched = {
  trigger: "invoice-paid",
  attachmentId: "invoice-paid:post",
  target: { kind: "workflow" as const, slug: "post" },
  outcome: "matched" as const,
  runId: "run_1",
  reasons: [],
};
const passed = { ...matched, trigger: "large", outcome: "filter_mismatch" as const, runId: null };

it("the response to an accepted delivery has its runs", () => {
  const answer = responseOf({
    id: "dlv_1",
    outcome: "accepted",
    responseStatus: 202,
    problem: null,
    body: null,
    headers: {},
    verdicts: [passed, matched],
    unlistedVerdicts: [],
  });
  expect(JSON.parse(answer.body ?? "")).toEqual({
    ok: true,
    runId: "run_1",
    runs: [{ runId: "run_1", trigger: "invoice-paid", target: { kind: "workflow", slug: "post" } }],
  });
  expect(answer.headers).toMatchObject({ location: "/api/v1/runs/run_1" });
});

it("the response to a repeated delivery says so", () => {
  expect(
    responseOf({
      id: "dlv_1",
      outcome: "repeated",
      responseStatus: 202,
      problem: null,
      body: null,
      headers: {},
      verdicts: [matched],
      unlistedVerdicts: [],
    }).headers,
  ).toMatchObject({ "idempotent-replayed": "true" });
});

it("the response to a skipped delivery says so", () => {
  expect(
    responseOf({
      id: "dlv_1",
      outcome: "skipped",
      responseStatus: 200,
      problem: null,
      body: null,
      headers: {},
      verdicts: [passed],
      unlistedVerdicts: [],
    }).body,
  ).toBe('{"ok":true,"skipped":true}');
});

it("the response to a URL verification has the challenge", () => {
  const body = btoa(JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" }));
  expect(
    responseOf({
      id: "dlv_1",
      outcome: "skipped",
      responseStatus: 200,
      problem: null,
      body,
      headers: {},
      verdicts: [],
      unlistedVerdicts: [],
    }).body,
  ).toBe('{"challenge":"3eZbrw1a"}');
  expect(
    responseOf({
      id: "dlv_1",
      outcome: "skipped",
      responseStatus: 200,
      problem: null,
      body,
      headers: {},
      verdicts: [passed],
      unlistedVerdicts: [],
    }).body,
  ).toBe('{"ok":true,"skipped":true}');
});

it("the answer to a handshake is not stored, unless the body has it", () => {
  const handshake = {
    id: "dlv_1",
    outcome: "skipped" as const,
    responseStatus: 200,
    problem: null,
    body: null,
    headers: { "signalbox-handshake": "meta" },
    verdicts: [],
    unlistedVerdicts: [],
  };
  expect(responseOf(handshake).body).toBeNull();
  expect(responseOf({ ...handshake, responseStatus: 204 })).toMatchObject({ status: 204, body: "" });
  const body = btoa(JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" }));
  expect(responseOf({ ...handshake, body }).body).toBe('{"challenge":"3eZbrw1a"}');
});

it("the response to a rejected delivery is the problem", () => {
  const problem = {
    type: "/errors/unknown_endpoint",
    title: "Unknown endpoint",
    status: 404,
    code: "unknown_endpoint",
    detail: "x",
  };
  expect(
    responseOf({
      id: "dlv_1",
      outcome: "rejected",
      responseStatus: 404,
      problem,
      body: null,
      headers: {},
      verdicts: [],
      unlistedVerdicts: [],
    }),
  ).toEqual({
    status: 404,
    body: JSON.stringify(problem),
    headers: { "content-type": "application/problem+json", "signalbox-delivery": "dlv_1" },
  });
});

it("the response of an endpoint with a fixed response is that one, unless the request was rejected", () => {
  const delivery = {
    id: "dlv_1",
    outcome: "skipped" as const,
    responseStatus: 200,
    problem: null,
    body: null,
    headers: {},
    verdicts: [passed],
    unlistedVerdicts: [],
  };
  const reply = { status: 200, body: "<Response/>", headers: { "content-type": "text/xml" } };
  expect(responseOf(delivery, reply)).toEqual({
    status: 200,
    body: "<Response/>",
    headers: { "content-type": "text/xml", "signalbox-delivery": "dlv_1" },
  });
  expect(responseOf(delivery).body).toBe('{"ok":true,"skipped":true}');
  const problem = { type: "/errors/x", title: "", status: 422, code: "request_mismatch", detail: "" };
  expect(responseOf({ ...delivery, outcome: "rejected", responseStatus: 422, problem }, reply).body).toBe(
    JSON.stringify(problem),
  );
});

it("the response to a held delivery says so, also after its release and for a repeat", () => {
  const held = {
    id: "dlv_1",
    outcome: "held" as const,
    responseStatus: 202,
    problem: null,
    body: null,
    headers: {},
    verdicts: [passed],
    unlistedVerdicts: [],
  };
  const released = {
    ...held,
    outcome: "accepted" as const,
    headers: { [ownHeaders.releasedAt]: "2026-11-21T10:00:00.000Z" },
    verdicts: [matched],
  };
  for (const delivery of [held, released, { ...held, outcome: "repeated" as const }]) {
    const { body, headers } = responseOf(delivery);
    expect(body).toBe('{"ok":true,"held":true}');
    expect(headers).not.toHaveProperty("location");
    expect("idempotent-replayed" in headers).toBe(delivery.outcome === "repeated");
  }
});

it("a delivery that was delivered again has no sender, and a form does not get the fixed response", () => {
  const delivery = {
    id: "dlv_1",
    outcome: "skipped" as const,
    responseStatus: 200,
    problem: null,
    body: null,
    headers: { [ownHeaders.sentFrom]: "form" },
    verdicts: [passed],
    unlistedVerdicts: [],
  };
  expect(sentResponse({ ...delivery, redeliveryOf: "dlv_0" })).toBeNull();
  const reply = { status: 200, body: "<Response/>", headers: {} };
  expect(responseOf(delivery, reply).body).toBe('{"ok":true,"skipped":true}');
});

it("a body in another format is answered with the types that the endpoint accepts", () => {
  const problem = { type: "/errors/unsupported_media_type", title: "", status: 415, code: "unsupported_media_type" };
  const delivery = {
    id: "dlv_1",
    outcome: "rejected" as const,
    responseStatus: 415,
    problem: { ...problem, detail: "" },
    body: null,
    headers: {},
    verdicts: [],
    unlistedVerdicts: [],
    redeliveryOf: null,
  };
  expect(sentResponse(delivery, { body: [{ type: "multipart" }] })?.headers).toMatchObject({
    accept: "multipart/form-data",
  });
  expect(sentResponse(delivery)?.headers).toMatchObject({ accept: "application/json" });
});

it("a sender without a valid key is asked for one, and does not learn the id of the delivery", () => {
  const problem = { type: "/errors/unauthorized", title: "", status: 401, code: "unauthorized", detail: "" };
  const answer = responseOf({
    id: "dlv_1",
    outcome: "rejected",
    responseStatus: 401,
    problem,
    body: null,
    headers: {},
    verdicts: [],
    unlistedVerdicts: [],
  });
  expect(answer.headers["www-authenticate"]).toContain("Bearer");
  expect(answer.headers).not.toHaveProperty("signalbox-delivery");
});

describe("an endpoint with a response for each outcome", () => {
  const responses = {
    accepted: { status: 200, body: "On it", headers: {} },
    skipped: { status: 201, body: "No match", headers: {} },
    held: { status: 203, body: "Later", headers: {} },
    rejected: { body: "", headers: {} },
  };
  const base = { id: "dlv_1", problem: null, body: null, headers: {}, verdicts: [matched], unlistedVerdicts: [] };

  it.for([
    ["accepted", 200, {}, "On it"],
    ["repeated", 200, {}, "On it"],
    ["skipped", 201, { verdicts: [passed] }, "No match"],
    ["held", 203, { verdicts: [passed] }, "Later"],
    ["repeated", 203, { verdicts: [passed] }, "Later"],
    ["accepted", 203, { headers: { "signalbox-released-at": "2026-01-01T00:00:00.000Z" } }, "Later"],
  ] as const)("the sender of a delivery that is %s (%i) received its response", ([outcome, status, rest, body]) => {
    const delivery = {
      ...base,
      outcome,
      responseStatus: status,
      ...rest,
      verdicts: [...((rest as Partial<typeof base>).verdicts ?? [matched])],
    };
    expect(responseOf(delivery, responses)).toMatchObject({ status, body });
  });

  it("a problem keeps its status and the headers of the protocol", () => {
    const problem = { type: "/errors/x", title: "", status: 401, code: "invalid_signature", detail: "" };
    const delivery = { ...base, outcome: "rejected" as const, responseStatus: 401, problem };
    const { body, headers } = responseOf(delivery, responses);
    expect([body, headers["www-authenticate"], headers["content-type"]]).toEqual(["", "Signature", undefined]);
    const limited = { ...delivery, responseStatus: 429, problem: { ...problem, status: 429, code: "rate_limited" } };
    expect(responseOf(limited, responses).body).toContain("rate_limited");
  });
});
