import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { TracingSettings } from "../contract/tracing-settings.ts";
import type { Logger } from "../ports/logger.ts";
import type { RunAttempt } from "../ports/store/engine-store.ts";
import type { TracedDelivery } from "../ports/tracing.ts";
import { createOtlpTracing } from "./otlp-tracing.ts";

interface Span {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  status: { code?: number };
  events?: { name: string }[];
}

const delivery: TracedDelivery = {
  id: "dlv_1",
  endpoint: "billing",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: {},
  bodyBytes: 2,
  outcome: "accepted",
  responseStatus: 202,
  problem: null,
};
const hide = (text: string) => text.replaceAll("4242", "[masked]");
const run: RunAttempt = {
  id: "run_1",
  workerId: "wrk_1",
  token: "t",
  leaseUntil: 0,
  status: "running",
  trigger: "paid",
  attachmentId: "paid:ship",
  target: { kind: "workflow", slug: "ship" },
  deliveryId: "dlv_1",
  failureOf: null,
  key: null,
  childOf: null,
  depth: 0,
  attempt: 1,
  maxAttempts: 2,
  attemptsBefore: 0,
  isResumed: false,
  createdAt: 0,
};

/** `answer`: the status that senders get; `null`: none. */
async function tracingTo(
  answer: number | null,
  sampler: TracingSettings["sampler"] = { isParentBased: true, ratio: 1 },
) {
  const spans: Span[] = [];
  const logged: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const sent = JSON.parse(text) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
    if (answer !== null) response.writeHead(answer).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const note = (message: string) => void logged.push(message);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const settings = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    headers: {},
    timeoutMs: 10_000,
    serviceName: "shop",
    resource: {},
    sampler,
  };
  // As web: what is registered for the project's code is one for the process.
  const open = () => createOtlpTracing({ settings, process: "web", logger });
  return { spans, logged, open, tracing: open() };
}

it("another process puts runs below the delivery by its id and its headers alone", async () => {
  const { spans, tracing, open } = await tracingTo(200);
  tracing.delivered(delivery, 3);
  await tracing.close(5_000);
  const worker = open();
  worker.beginRun({ run, version: "v", hide, headers: {} }).end({ status: "completed", error: null });
  await worker.close(5_000);
  const [first, second] = spans;
  expect([first?.name, second?.name]).toEqual(["POST /triggers/billing", "run ship"]);
  expect([second?.traceId, second?.parentSpanId]).toEqual([first?.traceId, first?.spanId]);
});

it("what was delivered again is below the first delivery, and later stretches of a run without a delivery are below its first", async () => {
  const { spans, tracing } = await tracingTo(200);
  tracing.delivered(delivery, 3);
  tracing
    .beginRun({
      run: { ...run, deliveryId: "dlv_2" },
      version: "v",
      hide,
      headers: { "signalbox-redelivery-of": "dlv_1" },
    })
    .end({ status: "completed", error: null });
  const byApi = { ...run, id: "run_2", deliveryId: null };
  tracing.beginRun({ run: byApi, version: "v", hide, headers: null }).end({ status: "waiting", error: null });
  tracing
    .beginRun({ run: { ...byApi, isResumed: true }, version: "v", hide, headers: null })
    .end({ status: "completed", error: null });
  await tracing.close(5_000);
  const [first, again, begun, resumed] = spans;
  expect([again?.traceId, again?.parentSpanId]).toEqual([first?.traceId, first?.spanId]);
  expect(begun?.parentSpanId ?? "").toBe("");
  expect([resumed?.traceId, resumed?.parentSpanId]).toEqual([begun?.traceId, begun?.spanId]);
});

it("a traceparent that is none is ignored", async () => {
  const { spans, tracing } = await tracingTo(200);
  for (const traceparent of [
    "",
    "nonsense",
    "00-00000000000000000000000000000000-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01, 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  ]) {
    tracing.delivered({ ...delivery, headers: { traceparent } }, 1);
  }
  await tracing.close(5_000);
  expect(spans.map(({ parentSpanId }) => parentSpanId ?? "")).toEqual(["", "", "", ""]);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
});

it("a delivery and its runs are sampled together at any ratio", async () => {
  const { spans, tracing } = await tracingTo(200, { isParentBased: true, ratio: 0.5 });
  for (let n = 0; n < 200; n += 1) {
    tracing.delivered({ ...delivery, id: `dlv_${n}` }, 1);
    tracing
      .beginRun({ run: { ...run, deliveryId: `dlv_${n}` }, version: "v", hide, headers: {} })
      .end({ status: "completed", error: null });
  }
  await tracing.close(5_000);
  const traces = Map.groupBy(spans, ({ traceId }) => traceId);
  expect(traces.size).toBeGreaterThan(50);
  expect(traces.size).toBeLessThan(150);
  for (const [, both] of traces) expect(both.map(({ name }) => name)).toEqual(["POST /triggers/billing", "run ship"]);
});

it("a step that throws records the error and rethrows it; an unfinished step ends with its run and is marked", async () => {
  const { spans, tracing } = await tracingTo(200);
  const trace = tracing.beginRun({ run, version: "v", hide, headers: {} });
  const failing = trace.step("charge 4242", () => Promise.reject(new Error("card 4242 declined")));
  await expect(failing).rejects.toThrow("card 4242 declined");
  void trace.step("hangs", () => new Promise(() => {}));
  trace.end({ status: "failed", error: { name: "Error", message: "no", stack: null } });
  await tracing.close(5_000);
  expect(spans.map(({ name, status, events }) => [name, status.code ?? 0, events?.map((event) => event.name)])).toEqual(
    [
      ["step charge [masked]", 2, ["exception"]],
      ["step hangs", 0, ["left unfinished"]],
      ["run ship", 2, ["exception"]],
    ],
  );
  expect(JSON.stringify(spans)).toContain("card [masked] declined");
  expect(JSON.stringify(spans)).not.toContain("4242");
});

it("a collector that rejects spans is logged, and one that never answers delays the close by no more than the limit", async () => {
  const rejecting = await tracingTo(400);
  rejecting.tracing.delivered(delivery, 1);
  await rejecting.tracing.close(5_000);
  expect(rejecting.logged).toEqual(["could not export spans"]);
  const silent = await tracingTo(null);
  silent.tracing.delivered(delivery, 1);
  await silent.tracing.close(50);
  expect(silent.spans.length).toBeLessThan(2);
});
