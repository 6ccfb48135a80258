import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { bearer, deliver, makeKey, openTestService, paidBody } from "../http/rest/testing/test-service.ts";
import { serve } from "../http/testing/serve.ts";
import { createTrpc } from "./create-trpc.ts";
import { type AppRouter, appRouter } from "./router.ts";

const maxBodyBytes = 100_000;

/** The tRPC API behind the real HTTP server. */
async function open(mode: "development" | "deployed" = "development") {
  const service = await openTestService({ mode, maxBodyBytes });
  const trpc = createTrpc({ ...service.deps, name: "my project", news: service.deps.store });
  const served = await serve({ trpc: trpc.handle });
  const url = `${served.url}/api/trpc`;
  const client = (headers: Record<string, string> = {}) =>
    createTRPCClient<AppRouter>({ links: [httpBatchLink({ url, headers, methodOverride: "POST" })] });
  const post = (path: string, input: unknown, headers: Record<string, string> = {}) =>
    fetch(`${url}/${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(input),
    });
  return { service, served, url, client, post };
}

const failure = z.object({
  error: z.object({
    message: z.string(),
    data: z.object({ httpStatus: z.number(), problem: z.object({ code: z.string(), detail: z.string() }) }),
  }),
});

async function problemOf(response: Response) {
  const { error } = failure.parse(await response.json());
  return { status: response.status, code: error.data.problem.code, detail: error.data.problem.detail };
}

const test = { endpoint: "billing", text: paidBody };

describe("a mutation", () => {
  it("starts what it says", async () => {
    const { service, client } = await open();
    const { runs } = await client().deliveries.send.mutate(test);
    expect(runs.map(({ target }) => target.slug)).toEqual(["notify", "record-invoice"]);
    const listed = await client().runs.list.query({});
    expect(listed.data.map(({ id, startedBy }) => [id, startedBy]).toSorted()).toEqual(
      runs.map(({ runId }) => [runId, "form"]).toSorted(),
    );
    expect(service.state.queued).toBe(1);
  });

  it("is never a GET", async () => {
    const { url, service } = await open();
    const response = await fetch(`${url}/deliveries.send?input=${encodeURIComponent(JSON.stringify(test))}`);
    expect(await problemOf(response)).toMatchObject({ status: 405, code: "method_not_allowed" });
    expect(service.state.queued).toBe(0);
  });

  it("takes a text of the largest size, however JSON escapes it, and no larger one", async () => {
    const { client, post } = await open();
    const text = `{"type":"invoice.paid","amount":1,"x":"${"\\n".repeat((maxBodyBytes - 42) / 2)}"}`;
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(maxBodyBytes);
    expect(await client().triggers.verdicts.mutate({ trigger: "invoice-paid", text })).toHaveLength(2);
    const longer = await post("triggers.verdicts", { trigger: "invoice-paid", text: `${text}${" ".repeat(50)}` });
    expect(await problemOf(longer)).toMatchObject({ status: 413, code: "body_too_large" });
  });

  it("answers 413 in its own form when the request is far too large", async () => {
    const { post, client } = await open();
    const input = { trigger: "invoice-paid", text: "x".repeat(4 * maxBodyBytes) };
    expect(await problemOf(await post("triggers.verdicts", input))).toMatchObject({
      status: 413,
      code: "body_too_large",
    });
    await expect(client().triggers.verdicts.mutate(input)).rejects.toMatchObject({
      data: { httpStatus: 413, problem: { code: "body_too_large" } },
    });
  });

  it("answers 503 where the memory for bodies has no room, and frees what a request took", async () => {
    const { post, service } = await open();
    const others = service.bodies.open("local");
    others.take(64 * 1024 * 1024 - 60_000);
    const send = (bytes: number) =>
      post("triggers.verdicts", { trigger: "invoice-paid", text: `{"x":"${"x".repeat(bytes)}"}` });
    for (let n = 0; n < 3; n += 1) expect((await send(20_000)).status).toBe(200);
    const full = await send(90_000);
    expect(full.headers.get("retry-after")).toMatch(/^[1-9]/);
    expect(await problemOf(full)).toMatchObject({ status: 503, code: "overloaded" });
    others.free();
    expect((await send(90_000)).status).toBe(200);
  });

  it("says where a text is no JSON, and where it does not match", async () => {
    const { client } = await open();
    await expect(
      client().targets.run.mutate({
        kind: "workflow",
        slug: "record-invoice",
        trigger: "invoice-paid",
        text: '{\n  "type": }',
      }),
    ).rejects.toMatchObject({
      data: {
        httpStatus: 400,
        problem: { code: "invalid_json", detail: expect.stringContaining("Line 2, column 11") },
      },
    });
    await expect(
      client().targets.run.mutate({
        kind: "workflow",
        slug: "record-invoice",
        trigger: "invoice-paid",
        text: '{"type":"invoice.paid"}',
      }),
    ).rejects.toMatchObject({
      data: { httpStatus: 422, problem: { code: "request_mismatch", errors: [{ pointer: "/amount" }] } },
    });
    await expect(
      client().targets.run.mutate({ kind: "workflow", slug: "record-invoice", text: '{"amount":"1"}' }),
    ).rejects.toMatchObject({
      data: { problem: { code: "invalid_input", errors: [{ pointer: "/amount" }] } },
    });
  });
});

describe("a delivery that a person sends", () => {
  it("is evaluated by every trigger on the endpoint and recorded, with the answer that a sender gets, and is in the audit log", async () => {
    const { service, client } = await open("deployed");
    const operator = await makeKey(service, { kind: "api", scope: "operate" });
    const api = client(bearer(operator.secret));
    const sent = await api.deliveries.send.mutate(test);
    expect(sent).toMatchObject({
      status: 202,
      problem: null,
      runs: [
        { trigger: "invoice-paid", target: { slug: "notify" } },
        { trigger: "invoice-paid", target: { slug: "record-invoice" } },
      ],
    });
    const delivery = await api.deliveries.get.query({ id: sent.deliveryId ?? "" });
    expect(delivery).toMatchObject({
      endpoint: "billing",
      outcome: "accepted",
      responseStatus: 202,
      body: Buffer.from(paidBody).toString("base64"),
      headers: { "content-type": "application/json", "signalbox-sent-from": "form" },
    });
    expect(delivery.verdicts.map(({ attachmentId, outcome }) => [attachmentId, outcome])).toEqual([
      ["invoice-paid:notify", "matched"],
      ["invoice-paid:record-invoice", "matched"],
      ["refund:notify", "request_mismatch"],
    ]);
    expect((await api.runs.list.query({})).data.map(({ startedBy, deliveryId }) => [startedBy, deliveryId])).toEqual([
      ["form", delivery.id],
      ["form", delivery.id],
    ]);
    const [entry] = (await service.store.listAudit({}, { limit: 1, cursor: null })).data;
    expect(entry).toMatchObject({
      action: "delivery.sent",
      subject: "billing",
      actor: { kind: "token" },
      detail: { deliveryId: delivery.id, status: 202 },
    });
  });

  it("counts in the numbers of the canvas", async () => {
    const { client } = await open();
    await client().deliveries.send.mutate(test);
    const { endpoints, triggers, targets } = await client().canvas.activity.query({
      window: "1h",
      endpoints: ["billing"],
      targets: [{ kind: "workflow", slug: "notify" }],
    });
    expect(endpoints[0]?.outcomes).toEqual({ accepted: 1, skipped: 0, held: 0, rejected: 0, repeated: 0 });
    expect(
      triggers.map(({ attachmentId, matched, request_mismatch }) => [attachmentId, matched, request_mismatch]),
    ).toEqual([
      ["invoice-paid:notify", 1, 0],
      ["invoice-paid:record-invoice", 1, 0],
      ["refund:notify", 0, 1],
    ]);
    expect(targets).toMatchObject([{ runs: 1 }]);
  });

  it("is recorded where nothing matches and where it is rejected, with the problem that a sender gets", async () => {
    const { client } = await open();
    const skipped = await client().deliveries.send.mutate({ endpoint: "billing", text: "{}" });
    expect(skipped).toMatchObject({ status: 200, runs: [], problem: null });
    expect(await client().deliveries.get.query({ id: skipped.deliveryId ?? "" })).toMatchObject({ outcome: "skipped" });
    const mismatch = await client().deliveries.send.mutate({ endpoint: "signup", text: '{"name":""}' });
    expect(mismatch).toMatchObject({
      status: 422,
      runs: [],
      problem: { code: "request_mismatch", errors: [{ pointer: "/name" }, { pointer: "/email" }] },
    });
    expect(await client().deliveries.get.query({ id: mismatch.deliveryId ?? "" })).toMatchObject({
      outcome: "rejected",
      problem: { code: "request_mismatch" },
    });
    const noJson = await client().deliveries.send.mutate({ endpoint: "billing", text: '{\n  "type": }' });
    expect(noJson).toMatchObject({
      status: 400,
      problem: { code: "invalid_json", detail: expect.stringContaining("Line 2, column 11") },
    });
    expect(await client().deliveries.send.mutate({ endpoint: "nowhere", text: "{}" })).toMatchObject({
      status: 404,
      problem: { code: "unknown_endpoint" },
    });
  });

  it("starts nothing while the service stops, and names no delivery, as none was recorded", async () => {
    const { client, service } = await open();
    service.stop();
    expect(await client().deliveries.send.mutate(test)).toMatchObject({
      status: 503,
      deliveryId: null,
      problem: { code: "shutting_down" },
    });
    expect(service.state.queued).toBe(0);
  });
});

describe("the form of a target, by a payload through a trigger", () => {
  it("starts this target alone, and records no delivery", async () => {
    const { client } = await open();
    const { runId } = await client().targets.run.mutate({
      kind: "workflow",
      slug: "record-invoice",
      trigger: "invoice-paid",
      text: paidBody,
    });
    expect((await client().runs.list.query({})).data).toMatchObject([
      { id: runId, trigger: "invoice-paid", target: { slug: "record-invoice" }, startedBy: "form", deliveryId: null },
    ]);
    expect((await client().deliveries.list.query({})).data).toEqual([]);
  });

  it("says why the trigger does not pass a payload on", async () => {
    const { client } = await open();
    const text = '{"name":"a","email":"a@elsewhere.example"}';
    expect(
      await client().targets.run.mutate({ kind: "workflow", slug: "welcome-email", trigger: "new-signup", text }),
    ).toMatchObject({ runId: null, verdicts: [{ outcome: "filter_mismatch", reasons: [{ pointer: "/email" }] }] });
  });
});

describe("pages of other sites", () => {
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: "null" },
  ];

  it("can do nothing in development", async () => {
    const { post, service } = await open();
    for (const headers of foreign)
      expect(await problemOf(await post("deliveries.send", test, headers))).toMatchObject({
        status: 403,
        code: "forbidden",
      });
    expect(service.state.queued).toBe(0);
  });

  it("cannot use the session of a signed-in person", async () => {
    const { post, service } = await open("deployed");
    const token = await makeKey(service, { kind: "api" });
    const cookie = `signalbox_session=${token.secret}`;
    for (const headers of foreign)
      expect(await problemOf(await post("deliveries.send", test, { ...headers, cookie }))).toMatchObject({
        status: 403,
        code: "forbidden",
      });
    expect(service.state.queued).toBe(0);
    expect((await post("deliveries.send", test, { cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/octet-stream",
  ])("cannot send %s, which browsers send without asking first", async (type) => {
    const { post, service } = await open();
    expect(await problemOf(await post("deliveries.send", test, { "content-type": type }))).toMatchObject({
      status: 415,
      code: "unsupported_media_type",
    });
    expect(service.state.queued).toBe(0);
  });
});

describe("every procedure", () => {
  const procedures = walk(appRouter).map(([path, type]) => ({ path, type }));
  const [streams, calls] = [true, false].map((isStream) =>
    procedures.filter(({ type }) => (type === "subscription") === isStream),
  );

  it.each(calls ?? [])("$path rejects anonymous clients and webhook keys", async ({ path }) => {
    const { anonymous, withKey } = await askWithoutAccess((url, headers) =>
      fetch(`${url}/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: "{}",
      }),
    );
    expect(await problemOf(anonymous)).toMatchObject({ status: 401, code: "unauthorized" });
    expect(await problemOf(withKey)).toMatchObject({ status: 403, code: "forbidden" });
  });

  // A tRPC stream always has the status 200: a rejection is its first and only event.
  it.each(streams ?? [])("$path rejects anonymous clients and webhook keys", async ({ path }) => {
    const { anonymous, withKey } = await askWithoutAccess((url, headers) => fetch(`${url}/${path}`, { headers }));
    expect(await anonymous.text()).toMatch(/event: serialized-error\ndata: .*"code":"unauthorized"/);
    expect(await withKey.text()).toMatch(/event: serialized-error\ndata: .*"code":"forbidden"/);
  });

  it("is there to be walked", () => {
    expect(procedures.length).toBeGreaterThan(25);
    expect(new Set(procedures.map(({ type }) => type))).toEqual(new Set(["query", "mutation", "subscription"]));
  });

  it("is checked before the body of an unauthenticated client is read", async () => {
    const { post } = await open("deployed");
    expect(await problemOf(await post("deliveries.send", { text: "x".repeat(4 * maxBodyBytes) }))).toMatchObject({
      status: 401,
    });
  });
});

describe("a subscription", () => {
  it("brings what just arrived, each delivery once, and ends when the service stops", async () => {
    const { service, url } = await open();
    await deliver(service, { endpoint: "billing", body: paidBody });
    const input = { feeds: [{ id: "p", kind: "pulses", after: null }] };
    const response = await fetch(`${url}/live?input=${encodeURIComponent(JSON.stringify(input))}`);
    expect(response.headers.get("content-type")).toContain("text/event-stream");
    const { body } = response;
    if (!body) throw new Error("no stream");
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    await readUntil(reader, (text) => text.includes("event: connected"));
    const { deliveryId } = await deliver(service, { endpoint: "billing", body: paidBody });
    const first = await readUntil(reader, (text) => text.includes(deliveryId));
    expect(first).toContain(
      '"matched":["invoice-paid:notify","invoice-paid:record-invoice"],"stopped":["refund:notify"]',
    );
    const next = await deliver(service, { endpoint: "signup", body: "{}" });
    const second = await readUntil(reader, (text) => text.includes(next.deliveryId));
    expect(second).not.toContain(deliveryId);
    service.stop();
    await readUntil(reader, () => false);
  });
});

/** What comes until the condition holds, or the stream ends. */
async function readUntil(
  reader: ReadableStreamDefaultReader<string>,
  isEnough: (text: string) => boolean,
): Promise<string> {
  let text = "";
  while (!isEnough(text)) {
    const { done, value } = await reader.read();
    if (done) break;
    text += value;
  }
  return text;
}

/** Path and type of every procedure of the router, as the router itself holds them. */
function walk(router: typeof appRouter): [string, string][] {
  const { procedures } = z.object({ procedures: z.record(z.string(), z.unknown()) }).parse(router._def);
  return Object.entries(procedures).map(([path, procedure]) => [
    path,
    z.custom<{ _def: { type: string } }>().parse(procedure)._def.type,
  ]);
}

async function askWithoutAccess(ask: (url: string, headers: Record<string, string>) => Promise<Response>) {
  const { url, service } = await open("deployed");
  const key = await makeKey(service, { kind: "webhook" });
  return { anonymous: await ask(url, {}), withKey: await ask(url, bearer(key.secret)) };
}

it("a request has at most 16 calls: more are rejected before any is made", async () => {
  const { url } = await open();
  const batch = (calls: number) =>
    fetch(
      `${url}/${Array.from({ length: calls }, () => "canvas.graph").join(",")}?batch=1&input=${encodeURIComponent("{}")}`,
    );
  expect((await batch(16)).status).toBe(200);
  expect((await batch(17)).status).toBe(400);
  expect((await batch(400)).status).toBe(400);
});

it("no method and no content type is taken for a defect of the service", async () => {
  const { url, service } = await open();
  const types = [null, "text/plain", "application/octet-stream", "multipart/form-data", "application/json"];
  const statuses = new Set<number>();
  for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    for (const type of types)
      for (const path of ["runs.list", "account.endSession", "live", "nothing"]) {
        const headers: Record<string, string> = type === null ? {} : { "content-type": type };
        const body = method === "GET" || method === "HEAD" ? null : Buffer.from("{}");
        const response = await fetch(`${url}/${path}`, { method, headers, body });
        await response.body?.cancel();
        expect(response.status, `${method} ${path} ${type}`).toBeLessThan(500);
        statuses.add(response.status);
      }
  expect([...statuses]).toEqual(expect.arrayContaining([400, 404, 405, 415]));
  expect(service.state.log).toEqual([]);
});
