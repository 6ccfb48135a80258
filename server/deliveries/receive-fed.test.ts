import { expect, it } from "vitest";
import { z } from "zod";
import { AppError } from "../contract/app-error.ts";
import type { FedDelivery } from "../contract/feed.ts";
import { differencesFrom, readOrigin } from "../domain/deliveries/origin.ts";
import { newId } from "../domain/ids.ts";
import { openTestService, type TestService } from "../http/rest/testing/test-service.ts";
import { projectOf, triggerOf } from "../ingest/testing/project.ts";
import { getDelivery } from "./read-deliveries.ts";
import { createReceiveFed } from "./receive-fed.ts";
import { releaseDelivery } from "./release.ts";

const url = "https://hooks.example.com";
const amount = z.object({ amount: z.number() });

async function openLaptop(triggers = [triggerOf({ slug: "billing", endpoint: "billing", request: amount })]) {
  const service = await openTestService();
  service.state.sources = projectOf(triggers);
  const receive = createReceiveFed(service);
  return { service, receive: (fed: FedDelivery, isMatchOnly = false) => receive(fed, { url, isMatchOnly }) };
}

function fed(body: string, given: Partial<FedDelivery> = {}): FedDelivery {
  const bytes = Buffer.from(body);
  return {
    id: newId("dlv"),
    endpoint: "billing",
    receivedAt: "2026-11-21T08:00:00.000Z",
    method: "POST",
    headers: { "content-type": "application/json", "x-event": "ü" },
    bodyBytes: bytes.length,
    bodySha256: "00",
    outcome: "skipped",
    responseStatus: 200,
    problem: null,
    verdicts: [],
    unlistedVerdicts: [],
    durationMs: 1,
    redeliveryOf: null,
    body: bytes.toString("base64"),
    ...given,
  };
}

const runsOf = async ({ store }: TestService) => (await store.listRuns({}, { limit: 100, cursor: null })).data;

it("a fed delivery keeps its id, time, bytes and headers, is evaluated here, and has the decision of its origin", async () => {
  const { service, receive } = await openLaptop();
  const delivery = fed('{ "amount": 12.50 }');
  expect(await receive(delivery)).toMatchObject({ kind: "recorded" });
  const here = await getDelivery(service, delivery.id);
  expect(here).toMatchObject({
    outcome: "accepted",
    receivedAt: delivery.receivedAt,
    body: delivery.body,
    headers: delivery.headers,
    verdicts: [{ trigger: "billing", outcome: "matched" }],
  });
  const origin = readOrigin(here.headers);
  expect(origin).toEqual({
    url,
    outcome: "skipped",
    responseStatus: 200,
    verdicts: [],
    isMatchOnly: false,
    isMasked: false,
  });
  expect(origin && differencesFrom(origin, here.verdicts)).toEqual([
    { attachmentId: here.verdicts[0]?.attachmentId, here: "matched", there: null },
  ]);
  expect(await runsOf(service)).toMatchObject([
    { deliveryId: delivery.id, createdAt: new Date(service.state.now).toISOString() },
  ]);
});

it("a fed delivery is recorded once, however often and concurrently it comes", async () => {
  const { service, receive } = await openLaptop();
  const delivery = fed('{ "amount": 1 }');
  await receive(delivery);
  for (const again of await Promise.all([
    receive(delivery),
    receive({ ...delivery, body: "e30=" }),
    receive(delivery, true),
  ]))
    expect(again).toEqual({ kind: "known" });
  expect(await runsOf(service)).toHaveLength(1);
});

it("evaluated alone, a match is held and starts no run until it is released", async () => {
  const { service, receive } = await openLaptop();
  const [match, mismatch] = [fed('{ "amount": 1 }'), fed('{ "amount": "1" }')];
  await receive(match, true);
  await receive(mismatch, true);
  expect(await getDelivery(service, match.id)).toMatchObject({
    outcome: "held",
    verdicts: [{ outcome: "matched", runId: null }],
  });
  expect(await getDelivery(service, mismatch.id)).toMatchObject({ outcome: "rejected", responseStatus: 422 });
  expect(await runsOf(service)).toEqual([]);
  expect(await releaseDelivery(service, { id: match.id, action: "release", startedBy: "cli" })).toMatchObject({
    result: "released",
  });
  expect(await runsOf(service)).toHaveLength(1);
});

it.each([
  ["an endpoint that this project does not have", fed("{}", { endpoint: "other" }), "unknown_endpoint"],
  ["a body that is not JSON", fed("{"), "invalid_json"],
  ["a body that no trigger matches", fed('{ "amount": "1" }'), "request_mismatch"],
])("%s is recorded as rejected, with its body", async (_, delivery, code) => {
  const { service, receive } = await openLaptop();
  expect(await receive(delivery)).toMatchObject({ kind: "recorded" });
  expect(await getDelivery(service, delivery.id)).toMatchObject({
    outcome: "rejected",
    problem: { code },
    body: delivery.body,
  });
});

it("an event that comes in a second delivery is a repeat, unless a person delivered it again", async () => {
  const { service, receive } = await openLaptop();
  const headers = { "content-type": "application/json", "webhook-id": "evt_1" };
  const first = fed('{ "amount": 1 }', { headers });
  const [second, other] = [fed('{ "amount": 1 }', { headers }), fed('{ "amount": 2 }', { headers })];
  for (const delivery of [first, second, other]) await receive(delivery);
  const [run] = await runsOf(service);
  expect(await getDelivery(service, second.id)).toMatchObject({ outcome: "repeated", verdicts: [{ runId: run?.id }] });
  expect(await getDelivery(service, other.id)).toMatchObject({
    outcome: "rejected",
    problem: { code: "idempotency_conflict" },
  });
  const again = fed('{ "amount": 1 }', { headers, redeliveryOf: first.id });
  await receive(again);
  expect(await getDelivery(service, again.id)).toMatchObject({ outcome: "accepted", redeliveryOf: first.id });
  expect(await runsOf(service)).toHaveLength(2);
});

it("a delivery whose queue is full, or whose store is busy, is recorded later", async () => {
  const { service, receive } = await openLaptop();
  const { manifest } = service.state.sources;
  service.state.sources.manifest = {
    ...manifest,
    workflows: manifest.workflows.map((one) => ({ ...one, maxQueued: 1 })),
  };
  const [first, second] = [fed('{ "amount": 1 }'), fed('{ "amount": 2 }')];
  expect(await receive(first)).toMatchObject({ kind: "recorded" });
  expect(await receive(second)).toMatchObject({ kind: "busy", reason: expect.stringContaining("queue") });
  expect(await service.store.getDelivery(second.id)).toBeNull();
  service.state.sources.manifest = manifest;
  expect(await receive(second)).toMatchObject({ kind: "recorded" });
  service.store.acceptDelivery = () => Promise.reject(new AppError("store_unavailable", "The store is locked."));
  const third = fed('{ "amount": 3 }');
  expect(await createReceiveFed(service)(third, { url, isMatchOnly: false })).toEqual({
    kind: "busy",
    reason: "The store is locked.",
  });
});
