import { describe, expect, it } from "vitest";
import { z } from "zod";
import { pageSchema } from "../../../contract/list.ts";
import { type Problem, problemSchema } from "../../../contract/problem.ts";
import type { BodyFormat } from "../../../contract/project/endpoint.ts";
import { runSchema } from "../../../contract/run.ts";
import { deliverySummarySchema, verdictSchema } from "../../../contract/delivery.ts";
import { github } from "../../../../sdk/verify/index.ts";
import { aDelivery } from "../../../store/testing/factories.ts";
import { inferredTriggerSchema } from "../../../triggers/infer-trigger.ts";
import { triggerSchema } from "../../../triggers/read-triggers.ts";
import type { ProjectSources } from "../../../ports/project.ts";
import { projectFixture } from "../testing/project-fixture.ts";
import { startedRuns } from "../schemas.ts";
import { deliver, executeRuns, makeKey, openTestService, paidBody } from "../testing/test-service.ts";

const triggerList = z.object({ data: z.array(triggerSchema) });
const verdictList = z.object({ data: z.array(verdictSchema) });
const page = pageSchema(deliverySummarySchema);
const url = z.object({ endpoint: z.string(), url: z.string(), keyId: z.string().nullable() });
const counted = z.object({ data: z.array(z.unknown()) });

describe("GET /api/v1/triggers", () => {
  it("lists each attachment with its schemas and its path", async () => {
    const service = await openTestService();
    const { data } = triggerList.parse((await service.get("/api/v1/triggers")).json);
    expect(data.map(({ attachmentId }) => attachmentId)).toEqual([
      "invoice-paid:notify",
      "invoice-paid:record-invoice",
      "new-signup:welcome-email",
      "refund:notify",
    ]);
    expect(data[2]).toMatchObject({
      slug: "new-signup",
      path: "/triggers/signup",
      file: "triggers/new-signup.ts",
      request: { type: "object" },
      filter: { type: "object" },
    });
    expect(data[3]?.filter).toBeNull();
  });

  it("lists the triggers of one endpoint", async () => {
    const service = await openTestService();
    expect(triggerList.parse((await service.get("/api/v1/triggers?endpoint=signup")).json).data).toHaveLength(1);
    expect(triggerList.parse((await service.get("/api/v1/triggers?endpoint=none")).json).data).toHaveLength(0);
  });
});

describe("POST /api/v1/triggers/{slug}/runs", () => {
  it("starts one run for each target of the trigger, with the payload as parsed", async () => {
    const service = await openTestService();
    const answer = await service.post(
      "/api/v1/triggers/invoice-paid/runs",
      { type: "invoice.paid", amount: 5, extra: true },
      { "signalbox-client": "cli" },
    );
    expect(answer.status).toBe(202);
    const { runs, runId } = startedRuns.parse(answer.json);
    expect(runs.map(({ target }) => target.slug)).toEqual(["notify", "record-invoice"]);
    expect(runId).toBe(runs[0]?.runId);
    expect(answer.headers.get("location")).toBe(`/api/v1/runs/${runId}`);
    const run = runSchema.parse((await service.get(`/api/v1/runs/${runId}`)).json);
    expect(run).toMatchObject({
      startedBy: "cli",
      payload: { type: "invoice.paid", amount: 5 },
      input: null,
      deliveryId: null,
    });
    expect(service.state.queued).toBe(1);
  });

  it("starts the one target that the query names", async () => {
    const service = await openTestService();
    const body = { type: "invoice.paid", amount: 5 };
    const { runs } = startedRuns.parse(
      (await service.post("/api/v1/triggers/invoice-paid/runs?target=record-invoice", body)).json,
    );
    expect(runs.map(({ target }) => target.slug)).toEqual(["record-invoice"]);
    const unknown = await service.post("/api/v1/triggers/invoice-paid/runs?target=record-invoices", body);
    expect([unknown.status, unknown.text]).toEqual([
      404,
      expect.stringContaining('Did you mean \\"record-invoice\\"?'),
    ]);
  });

  it("is skipped if only the filter does not match", async () => {
    const service = await openTestService();
    const answer = await service.post("/api/v1/triggers/new-signup/runs", { name: "a", email: "a@elsewhere.example" });
    expect([answer.status, answer.json]).toEqual([200, { ok: true, skipped: true }]);
    expect(counted.parse((await service.get("/api/v1/runs")).json).data).toHaveLength(0);
  });

  it("lists each path at which the payload is invalid, and starts nothing", async () => {
    const service = await openTestService();
    const answer = await service.post("/api/v1/triggers/new-signup/runs", { name: "", email: "x" });
    expect(answer.status).toBe(422);
    expect(
      z
        .object({ errors: z.array(z.object({ pointer: z.string() })) })
        .parse(answer.json)
        .errors.map(({ pointer }) => pointer),
    ).toEqual(["/name", "/email"]);
    expect(counted.parse((await service.get("/api/v1/runs")).json).data).toHaveLength(0);
  });
});

describe("POST /api/v1/triggers/{slug}/disable and /enable", () => {
  it("disable and enable a trigger, which is visible in lists, verdicts and starts, with entries in the audit log", async () => {
    const service = await openTestService({ mode: "deployed" });
    const operator = { authorization: `Bearer ${(await makeKey(service, { kind: "api", scope: "operate" })).secret}` };
    const body = { name: "a", email: "a@example.com" };
    const off = await service.post("/api/v1/triggers/new-signup/disable", { reason: "noisy" }, operator);
    const disabled = { at: new Date(service.state.now).toISOString(), reason: "noisy" };
    expect([off.status, off.json]).toEqual([200, { slug: "new-signup", disabled }]);
    const { data } = triggerList.parse((await service.get("/api/v1/triggers", operator)).json);
    expect(data.map((trigger) => trigger.disabled)).toEqual([null, null, disabled, null]);
    const said = verdictList.parse(
      (await service.post("/api/v1/verdicts", { trigger: "new-signup", body }, operator)).json,
    ).data;
    expect(said).toMatchObject([
      { trigger: "new-signup", outcome: "disabled", reasons: [{ message: expect.stringContaining("noisy") }] },
    ]);
    expect((await service.post("/api/v1/triggers/new-signup/runs", body, operator)).json).toEqual({
      ok: true,
      skipped: true,
    });
    expect((await service.post("/api/v1/triggers/new-signup/enable", undefined, operator)).json).toEqual({
      slug: "new-signup",
      disabled: null,
    });
    expect((await service.post("/api/v1/triggers/new-signup/runs", body, operator)).status).toBe(202);
    const written = (await service.store.listAudit({}, { limit: 10, cursor: null })).data
      .filter(({ subject }) => subject === "new-signup")
      .map(({ action }) => action);
    expect(written).toEqual(expect.arrayContaining(["trigger.disabled", "trigger.enabled"]));
  });

  it("know the triggers of the project, and those that were disabled before they left it", async () => {
    const service = await openTestService();
    expect((await service.post("/api/v1/triggers/new-signpu/disable")).text).toContain("new-signup");
    expect((await service.post("/api/v1/triggers/long-gone/enable")).status).toBe(404);
    await service.store.switchTrigger({ slug: "long-gone", disable: { at: 0, reason: null } });
    expect((await service.post("/api/v1/triggers/long-gone/enable")).status).toBe(200);
    expect((await service.post("/api/v1/triggers/new-signup/disable", { reason: "" })).status).toBe(422);
  });

  it("do not affect replays, and keep redeliveries from starting runs", async () => {
    const service = await openTestService();
    const { runs, deliveryId } = await deliver(service, {
      endpoint: "signup",
      body: '{ "name": "a", "email": "a@example.com" }',
    });
    await executeRuns(service);
    await service.post("/api/v1/triggers/new-signup/disable");
    expect((await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`)).status).toBeLessThan(300);
    expect(counted.parse((await service.get("/api/v1/runs")).json).data).toHaveLength(1);
    expect((await service.post(`/api/v1/runs/${runs[0]?.id}/replay`)).status).toBe(202);
  });
});

describe("POST /api/v1/verdicts", () => {
  it("returns the verdict of each trigger of an endpoint, and starts nothing", async () => {
    const service = await openTestService();
    const { data } = verdictList.parse(
      (await service.post("/api/v1/verdicts", { endpoint: "billing", body: JSON.parse(paidBody) })).json,
    );
    expect(data.map(({ attachmentId, outcome, runId }) => [attachmentId, outcome, runId])).toEqual([
      ["invoice-paid:notify", "matched", null],
      ["invoice-paid:record-invoice", "matched", null],
      ["refund:notify", "request_mismatch", null],
    ]);
    expect(data[2]?.reasons).toMatchObject([{ pointer: "/type" }]);
    expect(counted.parse((await service.get("/api/v1/runs")).json).data).toHaveLength(0);
    expect(counted.parse((await service.get("/api/v1/deliveries")).json).data).toHaveLength(0);
  });

  it("returns the verdict of one trigger", async () => {
    const service = await openTestService();
    const { data } = verdictList.parse(
      (
        await service.post("/api/v1/verdicts", {
          trigger: "new-signup",
          body: { name: "a", email: "a@elsewhere.example" },
        })
      ).json,
    );
    expect(data).toMatchObject([
      { trigger: "new-signup", outcome: "filter_mismatch", reasons: [{ pointer: "/email" }] },
    ]);
  });

  const rounded = 'rounded ["/body/amount"]';
  const tooLarge = "The body has a number that is too large at /body/amount";

  it.each([
    ["9007199254740993", rounded, "a string"],
    ["1e400", tooLarge, "a string"],
    ["1.2345678901234567890e19", rounded, "a string"],
    ["9007199254740992", "a number", "a string"],
    ["-0", rounded, rounded],
    ["7", "a number", "a number"],
  ])("reads %s as the endpoint does, and lists what is rounded", async (written, byDefault, asString) => {
    const service = await openTestService();
    const amount = `{"type": "invoice.paid", "amount": ${written}}`;
    /** The schema of the trigger takes numbers only. */
    const read = async (path: string, body: string) => {
      const { status, headers, json } = await service.send("POST", path, {
        body,
        headers: { "content-type": "application/json" },
      });
      if (status === 400) {
        const { detail, errors } = problemSchema.parse(json);
        return `${detail.split(":")[0]} at ${errors?.[0]?.pointer.replace(/^(\/body)?/, "/body")}`;
      }
      const listed = headers.get("signalbox-rounded-numbers");
      if (listed !== null) return `rounded ${listed.replace(/"(\/body)?/, '"/body')}`;
      const verdict = verdictList.safeParse(json).data?.data[0];
      return status === 422 || verdict?.reasons[0]?.actual === JSON.stringify(written) ? "a string" : "a number";
    };
    const readAll = async () => [
      await read("/api/v1/verdicts", `{"endpoint": "billing", "body": ${amount}}`),
      await read("/api/v1/verdicts", `{"trigger": "invoice-paid", "body": ${amount}}`),
      await read("/api/v1/triggers/invoice-paid/runs", amount),
    ];
    expect(await readAll()).toEqual([byDefault, byDefault, byDefault]);
    service.state.sources = withBody("billing", [{ type: "json", bigints: "string" }]);
    expect(await readAll()).toEqual([asString, asString, asString]);
  });

  it("lists rounded numbers in the input of a workflow", async () => {
    const service = await openTestService();
    const answer = await service.send("POST", "/api/v1/workflows/record-invoice/runs", {
      body: '{"amount": 0.1234567890123456789}',
      headers: { "content-type": "application/json" },
    });
    expect([answer.status, answer.headers.get("signalbox-rounded-numbers")]).toEqual([202, '["/amount"]']);
  });

  it.each([
    ["with a character of more than a byte", ["ſ\u0000\n😀"]],
    ["of many characters", Array.from({ length: 20 }, (_, at) => `${at}`.padStart(500, "é"))],
    ["as long as a body", ["k".repeat(20_000)]],
  ])("lists rounded numbers under names %s, as many as fit into a header", async (_, names) => {
    const service = await openTestService();
    const fields = names.map((name) => `${JSON.stringify(name)}: 9007199254740993`);
    const { status, headers } = await service.send("POST", "/api/v1/workflows/record-invoice/runs", {
      body: `{"amount": 1, ${fields.join(", ")}}`,
      headers: { "content-type": "application/json" },
    });
    const header = headers.get("signalbox-rounded-numbers") ?? "";
    expect([status, header.length < 5_000, /^[\x20-\x7e]+$/.test(header)]).toEqual([202, true, true]);
    const listed = z.array(z.string()).parse(JSON.parse(header));
    expect(listed.length).toBeGreaterThan(0);
    expect(listed.every((pointer) => names.some((name) => `/${name}`.startsWith(pointer.replace(/…$/, ""))))).toBe(
      true,
    );
  });

  it("accepts null as a body", async () => {
    const service = await openTestService();
    expect(
      verdictList.parse((await service.post("/api/v1/verdicts", { trigger: "refund", body: null })).json).data[0]
        ?.outcome,
    ).toBe("request_mismatch");
  });
});

describe("GET /api/v1/url", () => {
  it("in development is the endpoint alone, by slug or by endpoint", async () => {
    const service = await openTestService({ baseUrl: "http://localhost:3002" });
    for (const name of ["new-signup", "signup"]) {
      expect((await service.get(`/api/v1/url?for=${name}`)).json).toEqual({
        endpoint: "signup",
        url: "http://localhost:3002/triggers/signup",
        keyId: null,
      });
    }
  });

  it("in development behind a tunnel has a key", async () => {
    const service = await openTestService({ baseUrl: "https://dev.example.com" });
    const key = await makeKey(service, { kind: "webhook" });
    expect((await service.get("/api/v1/url?for=signup")).json).toEqual({
      endpoint: "signup",
      url: `https://dev.example.com/triggers/signup?token=${key.secret}`,
      keyId: key.id,
    });
  });

  it("contains the newest valid key for the endpoint on a deployed service", async () => {
    const service = await openTestService({ mode: "deployed" });
    const { state, store } = service;
    const made = [];
    for (const p of [
      {},
      { endpoints: ["billing"] },
      { endpoints: ["signup"] },
      {},
      { expiresAt: state.now + 10_000 },
    ]) {
      state.now += 1000;
      made.push(await makeKey(service, { kind: "webhook", ...p }));
    }
    const [all, billing, signup, revoked] = made;
    await store.revokeKey(revoked?.id ?? "", state.now);
    state.now += 60_000;
    const token = { "x-api-key": (await makeKey(service, { kind: "api" })).secret };
    const ask = async (name: string) => url.parse((await service.get(`/api/v1/url?for=${name}`, token)).json);

    expect(await ask("new-signup")).toEqual({
      endpoint: "signup",
      url: `https://hooks.example.com/triggers/signup?token=${signup?.secret}`,
      keyId: signup?.id,
    });
    expect((await ask("billing")).keyId).toBe(billing?.id);
    await store.revokeKey(billing?.id ?? "", state.now);
    expect((await ask("billing")).keyId).toBe(all?.id);
  });

  it("describes how to get a key if there is none", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = { "x-api-key": (await makeKey(service, { kind: "api" })).secret };
    await makeKey(service, { kind: "webhook", endpoints: ["billing"] });
    const answer = await service.get("/api/v1/url?for=signup", token);
    expect(answer.status).toBe(404);
    expect(answer.text).toContain("signalbox keys create --endpoint signup");
  });

  it("reports keys that were sealed under another secret", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = { "x-api-key": (await makeKey(service, { kind: "api" })).secret };
    const key = await makeKey(service, { kind: "webhook" });
    service.store.listKeyCiphertexts = async () => [{ key, ciphertext: "v1.AAAA" }];
    expect((await service.get("/api/v1/url?for=signup", token)).text).toContain("another SIGNALBOX_SECRET");
  });
});

const unsupported: Problem = {
  type: "/errors/unsupported_media_type",
  title: "Unsupported media type",
  status: 415,
  code: "unsupported_media_type",
  detail: "",
};

/** The project, with other formats on an endpoint. */
function withBody(endpoint: string, body: readonly BodyFormat[]): ProjectSources {
  const project = projectFixture();
  const triggers = project.triggers.map((one) => (one.endpoint === endpoint ? { ...one, body } : one));
  return { ...project, triggers, byEndpoint: Map.groupBy(triggers, (one) => one.endpoint) };
}

const codeOf = (json: unknown) => inferredTriggerSchema.parse(json).trigger.code;
const event = (type: string) => JSON.stringify({ type, [type]: { id: 7 } });

describe("GET /api/v1/inferred-trigger", () => {
  it("writes a trigger from the deliveries of an endpoint, of all kinds or of one", async () => {
    const service = await openTestService();
    for (const type of ["a", "b", "a", "b", "a"]) {
      service.state.now += 1000;
      await deliver(service, { endpoint: "billing", body: event(type) });
    }
    const all = inferredTriggerSchema.parse((await service.get("/api/v1/inferred-trigger?endpoint=billing")).json);
    expect(all).toMatchObject({
      deliveries: 5,
      isComplete: true,
      kindAt: "/type",
      kinds: [
        { value: "a", deliveries: 3 },
        { value: "b", deliveries: 2 },
      ],
      only: null,
      firstSeen: "2026-11-21T10:00:01.000Z",
      lastSeen: "2026-11-21T10:00:05.000Z",
    });
    expect(all.trigger.code).toContain('request: z.discriminatedUnion("type", [a, b])');
    const one = await service.get("/api/v1/inferred-trigger?endpoint=billing&only=b&file=triggers/x/b.ts");
    expect(codeOf(one.json)).toContain('from "../../workflows/handle-billing-b"');
    const { data } = page.parse((await service.get("/api/v1/deliveries?endpoint=billing&limit=1")).json);
    const like = await service.get(`/api/v1/inferred-trigger?endpoint=billing&delivery=${data[0]?.id}`);
    expect(codeOf(like.json)).toContain('slug: "billing-a"');
    expect((await service.get("/api/v1/inferred-trigger?endpoint=billing&only=c")).json).toMatchObject({
      code: "invalid_request",
      detail: 'No payload is of the kind "c". Kinds: a, b.',
    });
  });

  it("reads only events that senders sent in the period, and whose signature was not invalid", async () => {
    const service = await openTestService();
    await deliver(service, { endpoint: "billing", body: '{ "old": 1 }' });
    service.state.now += 8 * 24 * 60 * 60 * 1000;
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: '{ "real": 1 }' });
    await service.post(`/api/v1/deliveries/${deliveryId}/redeliver`);
    await deliver(service, { endpoint: "billing", body: '{ "form": 1 }', headers: { "signalbox-sent-from": "form" } });
    const handshake = { "signalbox-handshake": "slack" };
    await deliver(service, { endpoint: "billing", body: '{ "challenge": "a" }', headers: handshake });
    await service.store.recordDelivery({
      ...aDelivery({ receivedAt: service.state.now, body: Buffer.from('{ "forged": 1 }') }),
      endpoint: "billing",
      outcome: "rejected",
      responseStatus: 401,
      problem: {
        type: "/errors/invalid_signature",
        title: "Invalid signature",
        status: 401,
        code: "invalid_signature",
        detail: "",
      },
    });
    const found = inferredTriggerSchema.parse((await service.get("/api/v1/inferred-trigger?endpoint=billing")).json);
    expect(found.deliveries).toBe(1);
    expect(found.trigger.code).toContain("real: z.number(), // in 1 of 1");
    const longer = await service.get("/api/v1/inferred-trigger?endpoint=billing&since=2026-11-01");
    expect(inferredTriggerSchema.parse(longer.json).deliveries).toBe(2);
  });

  it("has the methods of the endpoint, and the parameters of its deliveries", async () => {
    const service = await openTestService();
    const project = projectFixture();
    const setMethods = (changed: Partial<(typeof project.triggers)[number]>) => {
      const triggers = project.triggers.map((one) => (one.endpoint === "billing" ? { ...one, ...changed } : one));
      service.state.sources = { ...project, triggers, byEndpoint: Map.groupBy(triggers, ({ endpoint }) => endpoint) };
    };
    const record = (method: string, body: string, headers: Record<string, string>) =>
      service.store.recordDelivery({
        ...aDelivery({ receivedAt: service.state.now, body: Buffer.from(body) }),
        endpoint: "billing",
        method,
        headers,
      });
    const infer = async () => codeOf((await service.get("/api/v1/inferred-trigger?endpoint=billing")).json);
    const query = "topic=refunds&api_key=[redacted]&shop=a%20b";
    await record("POST", '{ "id": 1 }', { "content-type": "application/json", "signalbox-query": query });
    const posted = await infer();
    expect(posted).toContain(
      "  //   topic: z.string(), // in 1 of 1\n  //   shop: z.string(), // in 1 of 1\n  // }),\n",
    );
    expect(posted).not.toMatch(/methods|api_key|redacted/);

    setMethods({ methods: ["GET"], body: [{ type: "form", field: null, bigints: "number" }] });
    service.state.now += 8 * 24 * 60 * 60 * 1000;
    await record("GET", "id=7&status=failed", { "content-type": "application/x-www-form-urlencoded" });
    const got = await infer();
    expect(got).toContain('  endpoint: "billing",\n  methods: ["GET"],\n  request: z.object({\n    id: z.string(),');
    expect(got).not.toMatch(/query|body:/);
  });

  it("verifies signatures as the endpoint does, by the same variable if it is known", async () => {
    const service = await openTestService();
    const project = projectFixture();
    const verify = github({ secret: "the secret of a test" });
    const triggers = project.triggers.map((one) => (one.endpoint === "billing" ? { ...one, verify } : one));
    await service.store.recordDelivery({
      ...aDelivery({ receivedAt: service.state.now, body: Buffer.from('{ "real": 1 }') }),
      endpoint: "billing",
    });
    async function inferFrom(secretVariable: { secretVariable?: string }) {
      const manifest = {
        ...project.manifest,
        triggers: project.manifest.triggers.map((trigger) => ({ ...trigger, ...secretVariable })),
      };
      service.state.sources = {
        ...project,
        manifest,
        triggers,
        byEndpoint: Map.groupBy(triggers, ({ endpoint }) => endpoint),
      };
      return codeOf((await service.get("/api/v1/inferred-trigger?endpoint=billing")).json);
    }
    const known = await inferFrom({ secretVariable: "GITHUB_SECRET" });
    expect(known).toContain('import { github } from "signalbox/verify";');
    expect(known).toContain('  verify: github({ secret: process.env["GITHUB_SECRET"] }),');
    const { file } = project.manifest.triggers.find(({ endpoint }) => endpoint === "billing") ?? {};
    expect(await inferFrom({})).toContain(
      `  // The endpoint verifies signatures (github): copy \`verify\` from ${file}.`,
    );
  });

  it("reads forms and large integers as the endpoint does, and writes its body and bigints", async () => {
    const service = await openTestService();
    const form = "application/x-www-form-urlencoded";
    const record = (endpoint: string, type: string, body: string, problem: Problem | null = null) =>
      service.store.recordDelivery({
        ...aDelivery({ receivedAt: service.state.now, body: Buffer.from(body) }),
        endpoint,
        outcome: problem ? "rejected" : "skipped",
        problem,
        headers: { "content-type": type },
      });
    const infer = async (endpoint: string) =>
      codeOf((await service.get(`/api/v1/inferred-trigger?endpoint=${endpoint}`)).json);

    await record("signup", form, "name=Ada&tag=a&tag=b", unsupported);
    expect((await service.get("/api/v1/inferred-trigger?endpoint=signup")).json).toMatchObject({
      code: "nothing_recorded",
    });
    await record("signup", "application/json", '{ "other": 1 }', unsupported);
    service.state.sources = withBody("signup", [{ type: "form", field: null, bigints: "number" }]);
    expect(await infer("signup")).toContain(
      'body: "form",\n  request: z.object({\n    name: z.string(), // in 1 of 1\n    tag: z.array(z.string()), // in 1 of 1\n  }),',
    );

    service.state.sources = withBody("billing", [{ type: "form", field: "payload", bigints: "string" }]);
    const payloads = ['{ "id": 9007199254740993 }', '{ "id": 7 }'];
    for (const payload of payloads) await record("billing", form, new URLSearchParams({ payload }).toString());
    expect(await infer("billing")).toContain(
      'body: { type: "form", field: "payload" },\n  bigints: "string",\n  request: z.object({\n    id: z.union([z.string(), z.number()]), // in 2 of 2',
    );
  });

  it("says what is missing if nothing is recorded", async () => {
    const service = await openTestService();
    const none = await service.get("/api/v1/inferred-trigger?endpoint=biling");
    expect(none.json).toMatchObject({
      status: 404,
      code: "nothing_recorded",
      detail: 'No delivery to "biling" is recorded in this period. Did you mean "billing"?',
    });
    await service.store.recordDelivery({
      ...aDelivery({ receivedAt: service.state.now, body: null }),
      endpoint: "new",
    });
    expect((await service.get("/api/v1/inferred-trigger?endpoint=new")).json).toMatchObject({
      code: "nothing_recorded",
      detail: expect.stringContaining('1 delivery to "new" is recorded, but none has a usable body'),
    });
  });
});
