import { describe, expect, it, vi } from "vitest";
import { fedDeliverySchema } from "../../../contract/feed.ts";
import { ownHeaders } from "../../../contract/own-headers.ts";
import { aDelivery } from "../../../store/testing/factories.ts";
import { bearer, deliver, makeKey, openTestService, type TestService } from "../testing/test-service.ts";

const body = '{ "name": "a",\n "email": "a@example.com" }';

interface Event {
  id: string;
  event: string;
  data: unknown;
}

async function follow(service: TestService, p: { query?: string; headers?: Record<string, string> } = {}) {
  const response = await service.app.fetch(
    new Request(`http://localhost:3002/api/v1/deliveries/feed${p.query ?? ""}`, { headers: p.headers ?? {} }),
  );
  if (!response.body || !response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  await reader.read();
  const next = async (): Promise<Event | null> => {
    const { value } = await reader.read();
    const [, id = "", event = "", data = ""] = /^id: (.*)\nevent: (.*)\ndata: (.*)\n\n$/.exec(value ?? "") ?? [];
    return value === undefined ? null : { id, event, data: JSON.parse(data) };
  };
  const nextDelivery = async () => {
    for (let event = await next(); ; event = await next())
      if (event?.event !== "position") return event && { cursor: event.id, ...fedDeliverySchema.parse(event.data) };
  };
  return { response, next, nextDelivery, close: () => reader.cancel() };
}

const send = async (service: TestService, text = body) =>
  (
    await deliver(service, {
      endpoint: "signup",
      body: text,
      headers: { "content-type": "application/json", "x-a": "ü" },
    })
  ).deliveryId;

const rejected = (code: string) => ({
  outcome: "rejected" as const,
  problem: { type: `/errors/${code}`, title: "No", status: 400, code, detail: "No." },
});

describe("GET /api/v1/deliveries/feed", () => {
  it("streams deliveries as they are recorded, with their bytes, headers and verdicts", async () => {
    const service = await openTestService();
    await send(service);
    const feed = await follow(service);
    expect(await feed.next()).toMatchObject({ event: "position", data: {} });
    const coming = feed.nextDelivery();
    const id = await send(service);
    const {
      json: _,
      evaluated: __,
      decision: ___,
      ...recorded
    } = (await service.get(`/api/v1/deliveries/${id}`)).json as Record<string, unknown>;
    expect(await coming).toEqual({ cursor: expect.any(String), ...recorded });
    expect(Buffer.from(String(recorded["body"]), "base64").toString()).toBe(body);
    await feed.close();
  });

  it("starts with the first delivery since a time", async () => {
    const service = await openTestService();
    await send(service);
    service.state.now += 60_000;
    const ids = [await send(service), await send(service)];
    const feed = await follow(service, { query: `?since=${new Date(service.state.now).toISOString()}` });
    expect([(await feed.nextDelivery())?.id, (await feed.nextDelivery())?.id]).toEqual(ids);
    await feed.close();
  });

  it("continues after the cursor of any event: nothing is missed, and nothing comes twice", async () => {
    const service = await openTestService();
    const feed = await follow(service);
    const cursors = [(await feed.next())?.id ?? ""];
    const ids = [await send(service), await send(service), await send(service)];
    for (const _ of ids) cursors.push((await feed.nextDelivery())?.cursor ?? "");
    await feed.close();
    for (const [at, cursor] of cursors.entries())
      for (const p of [{ headers: { "last-event-id": cursor } }, { query: `?cursor=${cursor}` }]) {
        const again = await follow(service, p);
        for (const id of ids.slice(at)) expect((await again.nextDelivery())?.id).toBe(id);
        expect((await service.store.readFeed({ after: readPlace(cursors.at(-1)), endpoints: null })).entries).toEqual(
          [],
        );
        await again.close();
      }
  });

  it("has no repeats, no handshakes, no bodies that were not stored and no requests that were not verified", async () => {
    const service = await openTestService();
    const feed = await follow(service);
    for (const given of [
      { outcome: "repeated" as const },
      { outcome: "skipped" as const, headers: { [ownHeaders.handshake]: "meta" } },
      { outcome: "accepted" as const, body: null },
      ...["unauthorized", "invalid_signature", "verification_failed", "unsupported_media_type", "rate_limited"].map(
        rejected,
      ),
    ])
      await service.store.recordDelivery(aDelivery(given));
    const recorded = [
      { outcome: "accepted" as const },
      { outcome: "held" as const },
      { outcome: "skipped" as const },
      ...["invalid_json", "invalid_body", "request_mismatch", "idempotency_conflict"].map(rejected),
    ].map((given) => aDelivery(given));
    for (const delivery of recorded) await service.store.recordDelivery(delivery);
    for (const { id } of recorded) expect((await feed.nextDelivery())?.id).toBe(id);
    await feed.close();
  });

  it("of one endpoint has no others", async () => {
    const service = await openTestService();
    const feed = await follow(service, { query: "?endpoint=signup" });
    await service.store.recordDelivery(aDelivery({ endpoint: "other" }));
    const id = await send(service);
    expect((await feed.nextDelivery())?.id).toBe(id);
    await feed.close();
  });

  it("of several endpoints has those of each, and its entry in the audit log names them", async () => {
    const service = await openTestService();
    const feed = await follow(service, { query: "?endpoint=signup&endpoint=billing" });
    await service.store.recordDelivery(aDelivery({ endpoint: "other" }));
    const billing = aDelivery({ endpoint: "billing" });
    await service.store.recordDelivery(billing);
    const id = await send(service);
    expect([(await feed.nextDelivery())?.id, (await feed.nextDelivery())?.id]).toEqual([billing.id, id]);
    await feed.close();
    const { data } = await service.store.listAudit({ action: "feed.opened" }, { limit: 10, cursor: null });
    expect(data).toMatchObject([{ detail: { endpoints: ["signup", "billing"] } }]);
  });

  it("needs a token with the scope feed, and such a token opens nothing else", async () => {
    const service = await openTestService({ mode: "deployed" });
    expect((await service.get("/api/v1/deliveries/feed")).status).toBe(401);
    const webhookKey = await makeKey(service, { kind: "webhook" });
    expect((await service.get("/api/v1/deliveries/feed", bearer(webhookKey.secret))).json).toMatchObject({
      code: "forbidden",
      detail: expect.stringContaining("API token"),
    });
    const token = await makeKey(service, { kind: "api", scope: "feed" });
    const feed = await follow(service, { headers: bearer(token.secret) });
    expect((await feed.next())?.event).toBe("position");
    await feed.close();
    expect((await service.get("/api/v1/deliveries", bearer(token.secret))).json).toMatchObject({
      code: "forbidden",
      detail: expect.stringContaining("has the scope feed, but this operation needs read"),
    });
  });

  it("ends when its token is revoked: no later delivery is sent", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api", scope: "feed" });
    const admin = await makeKey(service, { kind: "api" });
    const feed = await follow(service, { headers: bearer(token.secret) });
    await feed.next();
    const now = performance.now.bind(performance);
    let ahead = 0;
    const later = vi.spyOn(performance, "now").mockImplementation(() => now() + ahead);
    const last = feed.next();
    await service.post(`/api/v1/keys/${token.id}/revoke`, undefined, bearer(admin.secret));
    // Access is checked again after a second.
    ahead = 1_001;
    await send(service);
    expect(await last).toBeNull();
    later.mockRestore();
  });

  it("has one entry in the audit log for each connection, with its start", async () => {
    const service = await openTestService({ mode: "deployed" });
    const token = await makeKey(service, { kind: "api", scope: "feed" });
    const since = new Date(service.state.now - 60_000).toISOString();
    const feed = await follow(service, { query: `?endpoint=signup&since=${since}`, headers: bearer(token.secret) });
    await send(service);
    await send(service);
    await feed.nextDelivery();
    await feed.nextDelivery();
    await feed.close();
    const { data } = await service.store.listAudit({}, { limit: 10, cursor: null });
    expect(data.filter(({ action }) => action === "feed.opened")).toMatchObject([
      { actor: { kind: "token", id: token.id }, detail: { endpoint: "signup", since } },
    ]);
  });

  it("does not continue where deliveries may be missing: after retention, or in another store", async () => {
    const service = await openTestService({ retention: { days: 7 } });
    const feed = await follow(service);
    await send(service);
    const cursor = (await feed.nextDelivery())?.cursor ?? "";
    await feed.close();
    const answer = async (given: string) => (await service.get(`/api/v1/deliveries/feed?cursor=${given}`)).json;
    const [number, , since] = cursor.split(".");
    expect(await answer(`${number}.${aDelivery().id}.${since}`)).toMatchObject({
      status: 410,
      code: "cursor_expired",
      detail: expect.stringContaining("another store"),
    });
    expect(await answer("1")).toMatchObject({ status: 400, code: "invalid_request" });
    service.state.now += 8 * 24 * 3_600_000;
    expect(await answer(cursor)).toMatchObject({
      status: 410,
      code: "cursor_expired",
      detail: expect.stringContaining("Retention has removed deliveries"),
    });
  });

  it("stops when the service stops, and releases the store when the client disconnects", async () => {
    const service = await openTestService();
    const stopped = vi.fn<() => void>();
    const watch = service.store.watch.bind(service.store);
    service.store.watch = (listener) => {
      const unwatch = watch(listener);
      return () => {
        stopped();
        unwatch();
      };
    };
    const feed = await follow(service);
    await feed.next();
    const silent = feed.next();
    await feed.close();
    await silent;
    await vi.waitFor(() => expect(stopped).toHaveBeenCalled());
    const other = await follow(service);
    await other.next();
    const last = other.next();
    service.stop();
    expect(await last).toBeNull();
  });

  it("opens thirty connections a minute for a token: a loop of connections cannot fill the audit log", async () => {
    const service = await openTestService({ mode: "deployed" });
    const [token, other] = [
      await makeKey(service, { kind: "api", scope: "feed" }),
      await makeKey(service, { kind: "api", scope: "feed" }),
    ];
    const connect = async (secret: string, method = "GET") => {
      const client = new AbortController();
      const { status } = await service.app.fetch(
        new Request("http://localhost:3002/api/v1/deliveries/feed", {
          method,
          headers: bearer(secret),
          signal: client.signal,
        }),
      );
      client.abort();
      return status;
    };
    const entries = async () =>
      (await service.store.listAudit({ action: "feed.opened" }, { limit: 100, cursor: null })).data.length;
    const statuses: number[] = [];
    for (let n = 0; n < 100; n += 1) statuses.push(await connect(token.secret, n % 2 === 0 ? "GET" : "HEAD"));
    expect(statuses).toEqual([...Array<number>(30).fill(200), ...Array<number>(70).fill(429)]);
    expect(await entries()).toBe(30);
    expect(await connect(other.secret)).toBe(200);
    service.state.now += 60_000;
    expect(await connect(token.secret)).toBe(200);
    expect(await entries()).toBe(32);
  });
});

function readPlace(cursor = "") {
  const [number, deliveryId = null] = cursor.split(".");
  return { number: Number(number), deliveryId };
}
