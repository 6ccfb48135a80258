import { describe, expect, it } from "vitest";
import {
  deliver,
  executeRuns,
  openTestService,
  type TestService,
} from "../../server/http/rest/testing/test-service.ts";
import { aRun } from "../../server/store/testing/factories.ts";
import { createClient } from "./create-client.ts";
import { ApiError, RunFailedError, WaitTimeoutError } from "./errors.ts";
import type { FetchLike } from "./transport.ts";

/** A client of a real service, whose responses `change` can replace. */
function clientOf(service: TestService, change: (response: Response, url: string) => Response = (same) => same) {
  const send: FetchLike = async (url, init) => change(await service.app.fetch(new Request(url, init)), url);
  return createClient({ url: "http://localhost:3002", fetch: send });
}

async function collect<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const all: Row[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

const input = { to: "ada@example.com", displayName: "Ada" };
const failed = { to: "failed", error: { name: "MailError", message: "no such mailbox", stack: "at mail.ts" } } as const;

describe("start", () => {
  it("starts a run, and waitFor resolves with its output", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const run = await client.start("welcome-email", input);
    expect(run).toEqual({ id: expect.stringMatching(/^run_/), isRepeat: false });
    const output = client.waitFor(run);
    await executeRuns(service, { to: "completed", output: { messageId: "m1" } });
    expect(await output).toEqual({ messageId: "m1" });
    expect(await client.getRun(run)).toMatchObject({ input, startedBy: "api", trigger: null });
  });

  it("starts one run, even if the response to the first request is lost", async () => {
    const service = await openTestService();
    let requests = 0;
    const client = clientOf(service, (response) => {
      requests += 1;
      if (requests === 1) throw new TypeError("fetch failed");
      return response;
    });
    expect(await client.start("welcome-email", input)).toMatchObject({ isRepeat: true });
    expect([requests, (await service.store.countOpenRuns()).queued]).toEqual([2, 1]);
  });

  it("starts one run for each key", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const start = (idempotencyKey: string, displayName = "Ada") =>
      client.start("welcome-email", { ...input, displayName }, { idempotencyKey });
    const first = await start("order-7");
    expect(await start("order-7")).toEqual({ id: first.id, isRepeat: true });
    expect((await start("order-8")).id).not.toBe(first.id);
    await expect(start("order-7", "Bea")).rejects.toMatchObject({ code: "idempotency_conflict" });
  });

  it("rejects an input that the workflow does not accept, with each path", async () => {
    const client = clientOf(await openTestService());
    const error = await client.start("welcome-email", { to: "ada" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ code: "invalid_input", status: 422 });
    expect((error as ApiError).errors.map(({ pointer }) => pointer).sort()).toEqual(["/displayName", "/to"]);
  });
});

describe("fire", () => {
  it("starts a run for each target of the trigger, or for one of them", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const body = { type: "invoice.paid", amount: 12.5 };
    const runs = await client.fire("invoice-paid", body);
    expect(runs.map(({ target, isRepeat }) => [target.slug, isRepeat])).toEqual([
      ["notify", false],
      ["record-invoice", false],
    ]);
    const [one, ...others] = await client.fire("invoice-paid", body, { target: "record-invoice" });
    expect(others).toEqual([]);
    expect(await client.getRun(one ?? "")).toMatchObject({ trigger: "invoice-paid", payload: body, deliveryId: null });
  });

  it("starts nothing if the filter does not match, and rejects a body that does not match", async () => {
    const client = clientOf(await openTestService());
    expect(await client.fire("new-signup", { name: "Ada", email: "ada@elsewhere.org" })).toEqual([]);
    const rejected = client.fire("new-signup", { name: "", email: "ada@example.com" });
    await expect(rejected).rejects.toMatchObject({ code: "request_mismatch", errors: [{ pointer: "/name" }] });
  });

  it("starts once for each key", async () => {
    const client = clientOf(await openTestService());
    const signup = { name: "Ada", email: "ada@example.com" };
    const fire = () => client.fire("new-signup", signup, { idempotencyKey: "order-7" });
    const [first] = await fire();
    expect(await fire()).toEqual([{ ...first, isRepeat: true }]);
  });
});

describe("deliver", () => {
  const signup = { name: "Ada", email: "ada@example.com" };

  it("records a delivery as its sender would, and returns the response with the started runs", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const sent = await client.deliver("signup", signup, {
      headers: { "x-campaign": ["spring", "mail"] },
      query: { topic: "a b", shop: ["berlin", "zürich"] },
    });
    const [run] = sent.runs;
    expect(sent).toEqual({
      status: 202,
      deliveryId: expect.stringMatching(/^dlv_/),
      runs: [{ id: run?.id, trigger: "new-signup", target: { kind: "workflow", slug: "welcome-email" } }],
      woke: [],
      problem: null,
    });
    expect(await client.getRun(run ?? "")).toMatchObject({ deliveryId: sent.deliveryId, payload: signup });
    expect(await client.getDelivery(sent.deliveryId ?? "")).toMatchObject({
      endpoint: "signup",
      outcome: "accepted",
      headers: {
        "x-campaign": expect.any(String),
        "signalbox-query": "shop=berlin&shop=z%C3%BCrich&topic=a+b",
        "signalbox-sent-from": "form",
      },
    });
    const output = client.waitFor(run ?? "");
    await executeRuns(service, { to: "completed", output: { messageId: "m1" } });
    expect(await output).toEqual({ messageId: "m1" });
  });

  it("returns a rejection with its reasons, and throws for an unknown trigger", async () => {
    const client = clientOf(await openTestService());
    expect(await client.deliver("signup", { name: "" })).toMatchObject({
      status: 422,
      runs: [],
      problem: { code: "request_mismatch", errors: [{ pointer: "/name" }, { pointer: "/email" }] },
    });
    expect(await client.deliver("nowhere", signup)).toMatchObject({
      status: 404,
      problem: { code: "unknown_endpoint" },
    });
    await expect(client.deliver("signup", signup, { trigger: "other" })).rejects.toMatchObject({ code: "not_found" });
  });

  it("is not sent again if the response is lost", async () => {
    const service = await openTestService();
    const client = clientOf(service, () => {
      throw new TypeError("fetch failed");
    });
    await expect(client.deliver("signup", signup)).rejects.toThrow("fetch failed");
    expect((await service.get("/api/v1/deliveries")).json).toMatchObject({ data: [{ outcome: "accepted" }] });
  });
});

describe("waitFor", () => {
  it("throws the error of a run that failed", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const run = await client.start("welcome-email", input);
    await executeRuns(service, failed);
    const error = await client.waitFor(run).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RunFailedError);
    expect(error).toMatchObject({
      message: `Run ${run.id} failed: MailError: no such mailbox`,
      status: "failed",
      run: { id: run.id, error: { name: "MailError", stack: "at mail.ts" } },
    });
  });

  it("throws for a canceled run, and after its timeout", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const run = await client.start("welcome-email", input);
    await expect(client.waitFor(run, { timeout: 0 })).rejects.toThrow(WaitTimeoutError);
    expect(await client.cancelRun(run)).toMatchObject({ status: "canceled" });
    await expect(client.waitFor(run.id)).rejects.toMatchObject({
      status: "canceled",
      message: `Run ${run.id} was canceled.`,
    });
    await expect(client.cancelRun(run)).rejects.toMatchObject({ code: "run_ended" });
  });
});

describe("lists", () => {
  it("have every row, over as many pages as it takes", async () => {
    const service = await openTestService();
    const urls: string[] = [];
    const client = clientOf(service, (response, url) => {
      urls.push(url);
      return response;
    });
    const started: string[] = [];
    for (let n = 0; n < 5; n += 1) started.push((await client.start("record-invoice", { amount: n })).id);
    await client.start("welcome-email", input);
    urls.length = 0;
    const rows = await collect(client.listRuns({ target: "record-invoice" }, { pageSize: 2 }));
    expect(rows.map(({ id }) => id)).toEqual(started.toReversed());
    expect(urls).toHaveLength(3);
    expect(urls[0]).toBe("http://localhost:3002/api/v1/runs?target=record-invoice&limit=2");
    const first = await client.listRuns({}, { pageSize: 4 }).page();
    const second = await client.listRuns({}, { pageSize: 4 }).page(first.nextCursor);
    expect([first.data.length, second.data.length, second.nextCursor]).toEqual([4, 2, null]);
  });

  it("of the child runs of a run have those alone", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const { id } = await client.start("welcome-email", input);
    const child = aRun({ startedBy: "parent", child: { of: id, step: "charge", link: "call", depth: 1 } });
    await service.store.createRuns([child]);
    expect(await collect(client.listRuns({ childOf: id }))).toMatchObject([{ id: child.id, childOf: id }]);
  });

  it("of deliveries have the filters of the API", async () => {
    const service = await openTestService();
    const client = clientOf(service);
    const { deliveryId } = await deliver(service, {
      endpoint: "signup",
      body: '{ "name": "a", "email": "a@example.com" }',
    });
    await deliver(service, { endpoint: "billing", body: '{ "type": "invoice.paid", "amount": 12.50 }' });
    const found = await collect(client.listDeliveries({ endpoint: "signup" }));
    expect(found.map(({ id }) => id)).toEqual([deliveryId]);
    expect(await client.getDelivery(deliveryId)).toMatchObject({ json: { name: "a" } });
    await expect(client.listDeliveries({ endpont: "signup" } as never).page()).rejects.toMatchObject({
      code: "invalid_request",
    });
  });
});

describe("events", () => {
  it("are the timeline of a run, each entry once, even if the connection breaks after each", async () => {
    const service = await openTestService();
    let connections = 0;
    const client = clientOf(service, (response, url) => {
      if (!url.endsWith("/events")) return response;
      connections += 1;
      return new Response(response.body?.pipeThrough(breakAfterFirst()), response);
    });
    const run = await client.start("welcome-email", input);
    await executeRuns(service);
    const timeline = await service.get(`/api/v1/runs/${run.id}/timeline`);
    const entries = await collect(client.events(run));
    expect({ data: entries, nextCursor: null }).toEqual(timeline.json);
    expect(connections).toBe(entries.length);
    expect(await collect(client.events(run, { after: entries[1]?.id ?? 0 }))).toEqual(entries.slice(2));
  }, 30_000);

  it("of an unknown run throw an ApiError", async () => {
    const client = clientOf(await openTestService());
    await expect(collect(client.events("run_unknown"))).rejects.toMatchObject({ code: "not_found" });
  });
});

/** Ends the stream after its first entry, unless the end of the run follows in the same piece. */
function breakAfterFirst(): TransformStream<Uint8Array, Uint8Array> {
  let entries = 0;
  return new TransformStream({
    transform(bytes, controller) {
      const text = new TextDecoder().decode(bytes);
      const isEntry = text.startsWith("id: ");
      if (isEntry && entries > 0) return controller.terminate();
      controller.enqueue(bytes);
      if (isEntry) entries += 1;
    },
  });
}
