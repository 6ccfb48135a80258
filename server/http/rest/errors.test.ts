import { describe, expect, it } from "vitest";
import { problemSchema } from "../../contract/problem.ts";
import { type TestService, openTestService } from "./testing/test-service.ts";

const jsonType = { "content-type": "application/json" };

const rows: [
  what: string,
  code: string,
  status: number,
  ask: (service: TestService) => Promise<{ status: number; text: string }>,
][] = [
  ["an unknown route", "not_found", 404, (s) => s.get("/api/v1/nothing")],
  ["a path with a slash at its end", "not_found", 404, (s) => s.get("/api/v1/runs/")],
  ["a version that does not exist", "not_found", 404, (s) => s.get("/api/v2/runs")],
  ["another method", "method_not_allowed", 405, (s) => s.send("DELETE", "/api/v1/runs")],
  ["a method that nobody knows", "method_not_allowed", 405, (s) => s.send("OPTIONS", "/api/v1/keys")],
  ["an unknown parameter", "invalid_request", 400, (s) => s.get("/api/v1/runs?statsu=failed")],
  [
    "a parameter where none is taken",
    "invalid_request",
    400,
    (s) => s.post("/api/v1/workflows/notify/runs?wait=3", {}),
  ],
  ["a status that does not exist", "invalid_request", 400, (s) => s.get("/api/v1/runs?status=done")],
  ["a parameter sent twice", "invalid_request", 400, (s) => s.get("/api/v1/runs?trigger=a&trigger=b")],
  ["too many rows", "invalid_request", 400, (s) => s.get("/api/v1/runs?limit=101")],
  ["no rows", "invalid_request", 400, (s) => s.get("/api/v1/deliveries?limit=0")],
  ["a limit that is no number", "invalid_request", 400, (s) => s.get("/api/v1/runs?limit=ten")],
  ["a time that is none", "invalid_request", 400, (s) => s.get("/api/v1/runs?since=yesterday")],
  ["a cursor that is none", "invalid_request", 400, (s) => s.get("/api/v1/runs?cursor=%00nonsense")],
  ["a cursor of deliveries that is none", "invalid_request", 400, (s) => s.get("/api/v1/deliveries?cursor=nonsense")],
  ["waiting for too long", "invalid_request", 400, (s) => s.get("/api/v1/runs/run_x?wait=61")],
  [
    "a Last-Event-ID that is none",
    "invalid_request",
    400,
    (s) => s.get("/api/v1/runs/run_x/events", { "last-event-id": "x" }),
  ],
  ["an unknown run", "not_found", 404, (s) => s.get("/api/v1/runs/run_unknown")],
  ["the timeline of an unknown run", "not_found", 404, (s) => s.get("/api/v1/runs/run_unknown/timeline")],
  ["the events of an unknown run", "not_found", 404, (s) => s.get("/api/v1/runs/run_unknown/events")],
  ["cancelling an unknown run", "not_found", 404, (s) => s.post("/api/v1/runs/run_unknown/cancel")],
  ["replaying an unknown run", "not_found", 404, (s) => s.post("/api/v1/runs/run_unknown/replay")],
  ["an unknown delivery", "not_found", 404, (s) => s.get("/api/v1/deliveries/dlv_unknown")],
  ["delivering an unknown delivery again", "not_found", 404, (s) => s.post("/api/v1/deliveries/dlv_unknown/redeliver")],
  ["an unknown trigger", "not_found", 404, (s) => s.post("/api/v1/triggers/new-singup/runs", {})],
  ["an unknown workflow", "not_found", 404, (s) => s.post("/api/v1/workflows/notfy/runs", {})],
  ["any agent, while there are none", "not_found", 404, (s) => s.post("/api/v1/agents/triage/runs", {})],
  ["an unknown key", "not_found", 404, (s) => s.post("/api/v1/keys/key_unknown/revoke")],
  [
    "verdicts of an unknown endpoint",
    "unknown_endpoint",
    404,
    (s) => s.post("/api/v1/verdicts", { endpoint: "biling", body: {} }),
  ],
  ["the URL of what nobody knows", "not_found", 404, (s) => s.get("/api/v1/url?for=nobody")],
  ["no name to make a URL for", "invalid_request", 400, (s) => s.get("/api/v1/url")],
  ["no body where one is needed", "invalid_json", 400, (s) => s.post("/api/v1/workflows/notify/runs")],
  [
    "an empty body where one is needed",
    "invalid_json",
    400,
    (s) => s.send("POST", "/api/v1/workflows/notify/runs", { headers: jsonType, body: "" }),
  ],
  [
    "a body that is not JSON",
    "invalid_json",
    400,
    (s) => s.send("POST", "/api/v1/verdicts", { headers: jsonType, body: "{" }),
  ],
  [
    "a body that is not JSON, where none is needed",
    "invalid_json",
    400,
    (s) => s.send("POST", "/api/v1/runs/run_x/replay", { headers: jsonType, body: "{" }),
  ],
  [
    "a body that is nested too deep",
    "invalid_json",
    400,
    (s) =>
      s.send("POST", "/api/v1/workflows/notify/runs", { headers: jsonType, body: "[".repeat(513) + "]".repeat(513) }),
  ],
  [
    "a body of another type",
    "unsupported_media_type",
    415,
    (s) => s.send("POST", "/api/v1/keys", { headers: { "content-type": "text/plain" }, body: "{}" }),
  ],
  [
    "a body of another type, where none is needed",
    "unsupported_media_type",
    415,
    (s) => s.send("POST", "/api/v1/runs/run_x/replay", { body: "a=b" }),
  ],
  [
    "a body in another charset",
    "unsupported_media_type",
    415,
    (s) =>
      s.send("POST", "/api/v1/keys", { headers: { "content-type": "application/json; charset=latin1" }, body: "{}" }),
  ],
  [
    "a compressed body",
    "unsupported_media_type",
    415,
    (s) => s.send("POST", "/api/v1/keys", { headers: { ...jsonType, "content-encoding": "gzip" }, body: "{}" }),
  ],
  [
    "a body over the limit",
    "body_too_large",
    413,
    (s) => s.post("/api/v1/workflows/notify/runs", { text: "x".repeat(100_000) }),
  ],
  [
    "a body that the route does not take",
    "invalid_input",
    422,
    (s) => s.post("/api/v1/keys", { kind: "master", name: "x" }),
  ],
  [
    "a field that the route does not know",
    "invalid_input",
    422,
    (s) => s.post("/api/v1/verdicts", { endpoint: "billing", payload: {}, body: {} }),
  ],
  ["verdicts of nothing in particular", "invalid_request", 400, (s) => s.post("/api/v1/verdicts", { body: {} })],
  [
    "verdicts of a trigger and an endpoint",
    "invalid_request",
    400,
    (s) => s.post("/api/v1/verdicts", { trigger: "refund", endpoint: "billing", body: {} }),
  ],
  [
    "an API token for some endpoints",
    "invalid_input",
    422,
    (s) => s.post("/api/v1/keys", { kind: "api", name: "x", endpoints: ["billing"] }),
  ],
  [
    "a key that has expired already",
    "invalid_input",
    422,
    (s) => s.post("/api/v1/keys", { kind: "api", name: "x", expiresAt: "2020-01-01T00:00:00Z" }),
  ],
  [
    "an input that the workflow does not take",
    "invalid_input",
    422,
    (s) => s.post("/api/v1/workflows/welcome-email/runs", { to: "nobody" }),
  ],
  [
    "a payload that the trigger does not take",
    "request_mismatch",
    422,
    (s) => s.post("/api/v1/triggers/new-signup/runs", { name: "" }),
  ],
];

describe("requests that the API rejects", () => {
  it.each(rows)("%s: %s (%i)", async (_, code, status, ask) => {
    const answer = await ask(await openTestService());
    expect(answer.status).toBe(status);
    expect(problemSchema.parse(JSON.parse(answer.text))).toMatchObject({ code, status, type: `/errors/${code}` });
  });

  it("are answered with a problem that must not be cached", async () => {
    const service = await openTestService();
    const { headers } = await service.get("/api/v1/nothing");
    expect(headers.get("content-type")).toBe("application/problem+json");
    expect(headers.get("cache-control")).toBe("no-store");
  });

  it("get a suggestion if a known name is near", async () => {
    const service = await openTestService();
    expect((await service.get("/api/v1/runs?statsu=failed")).text).toContain('Did you mean \\"status\\"?');
    expect((await service.post("/api/v1/triggers/new-singup/runs", {})).text).toContain(
      'Did you mean \\"new-signup\\"?',
    );
    expect((await service.post("/api/v1/verdicts", { endpoint: "biling", body: {} })).text).toContain(
      'Did you mean \\"billing\\"?',
    );
  });

  it("get the methods that a path allows", async () => {
    const service = await openTestService();
    expect((await service.send("PUT", "/api/v1/keys")).headers.get("allow")).toBe("GET, HEAD, POST");
    expect((await service.send("GET", "/api/v1/verdicts")).headers.get("allow")).toBe("POST");
  });

  it("get the path at which a body is invalid", async () => {
    const service = await openTestService();
    const { text } = await service.post("/api/v1/keys", {
      kind: "webhook",
      name: "x",
      endpoints: ["billing", "No Such Form"],
    });
    expect(problemSchema.parse(JSON.parse(text)).errors).toMatchObject([{ pointer: "/endpoints/1" }]);
  });

  it("get the position at which a body stops being JSON", async () => {
    const service = await openTestService();
    const { text } = await service.send("POST", "/api/v1/verdicts", { headers: jsonType, body: '{\n  "body": tru }' });
    expect(problemSchema.parse(JSON.parse(text)).detail).toMatch(/^Line 2, column \d+: /);
  });

  it("include a body that exceeds the memory budget, until other requests have ended", async () => {
    const service = await openTestService();
    const others = service.bodies.open("local");
    others.take(64 * 1024 * 1024 - 60_000);
    const send = (bytes: number) =>
      service.post("/api/v1/verdicts", { endpoint: "billing", body: { text: "x".repeat(bytes) } });
    // Each request frees its memory.
    for (let n = 0; n < 3; n += 1) expect((await send(20_000)).status).toBe(200);
    const full = await send(90_000);
    expect([full.status, full.headers.get("retry-after"), problemSchema.parse(JSON.parse(full.text)).code]).toEqual([
      503,
      "5",
      "overloaded",
    ]);
    others.free();
    expect((await send(90_000)).status).toBe(200);
  });

  it("a defect is answered without its details, which are in the log", async () => {
    const service = await openTestService();
    service.store.listKeys = () => Promise.reject(new Error("canary of the inside"));
    const answer = await service.get("/api/v1/keys");
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("canary");
    expect(service.state.log.join()).toContain("API request failed");
  });
});
