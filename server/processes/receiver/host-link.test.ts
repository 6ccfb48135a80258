import { expect, it } from "vitest";
import type { FedDelivery } from "../../contract/feed.ts";
import type { RunHost } from "../../run-channel/host/run-host.ts";
import { createHostLink, serveHostLink, type TakeDelivery } from "./host-link.ts";
import type { HostMessage } from "../protocol.ts";

const fed: FedDelivery = {
  id: "dlv_1",
  endpoint: "signup",
  receivedAt: "2026-11-21T10:00:00.000Z",
  method: "POST",
  headers: {},
  bodyBytes: 2,
  bodySha256: null,
  outcome: "accepted",
  responseStatus: 202,
  problem: null,
  verdicts: [],
  unlistedVerdicts: [],
  durationMs: 1,
  redeliveryOf: null,
  body: "e30=",
};
const death = { kind: "killed", signal: "SIGKILL" } as const;
const lost = { workerId: "wrk_a", death, deadlines: new Map([["run_1", 1_000]]) };
const attempt = { id: "run_1", target: { kind: "workflow", slug: "work" }, fate: { kind: "isolate" } } as const;
const turn = () => new Promise(setImmediate);

/** A receiver that answers no requests by itself. */
function createReceiver() {
  const messages: HostMessage[] = [];
  return {
    messages,
    send: (message: HostMessage) => void messages.push(message),
    ids: () => messages.flatMap((message) => (message.type === "host-request" ? [message.id] : [])),
  };
}

it("a death that is reported while there is no receiver reaches the next one, which knows the worker from its start", async () => {
  const link = createHostLink();
  link.workerStarted("wrk_a");
  link.connect(createReceiver().send);
  link.disconnect();
  const died = link.workerDied(lost);
  expect(link.describeWorkers()).toEqual({ known: ["wrk_a"], held: [] });
  const next = createReceiver();
  link.connect(next.send);
  expect(next.messages).toEqual([
    {
      type: "host-request",
      id: 1,
      request: "worker-died",
      workerId: "wrk_a",
      death,
      deadlines: [["run_1", 1_000]],
    },
  ]);
  link.handleAnswer({ id: 1, answer: [attempt] });
  expect(await died).toEqual([attempt]);
  expect(link.describeWorkers()).toEqual({ known: [], held: [] });
});

it("a request that a receiver did not answer before it ended is sent to the next one, once", async () => {
  const link = createHostLink();
  const [first, second, third] = [createReceiver(), createReceiver(), createReceiver()];
  link.connect(first.send);
  const died = link.workerDied(lost);
  link.disconnect();
  link.connect(second.send);
  expect([first.ids(), second.ids()]).toEqual([[1], [1]]);
  link.handleAnswer({ id: 1, answer: [] });
  // A late answer of the previous receiver.
  link.handleAnswer({ id: 1, answer: [attempt] });
  expect(await died).toEqual([]);
  link.connect(third.send);
  expect(third.messages).toEqual([]);
});

it("a hold needs no answer from a receiver that has ended: the next one assigns nothing from its start", async () => {
  const link = createHostLink();
  const receiver = createReceiver();
  link.connect(receiver.send);
  const held = link.hold(["wrk_a"]);
  expect(receiver.messages).toMatchObject([{ request: "hold-workers", workerIds: ["wrk_a"] }]);
  link.disconnect();
  await held;
  await link.hold(["wrk_b"]);
  expect(link.describeWorkers().held).toEqual(["wrk_a", "wrk_b"]);
  const next = createReceiver();
  link.connect(next.send);
  expect(next.messages).toEqual([]);
  link.release(["wrk_a"]);
  expect(next.messages).toEqual([{ type: "release-workers", workerIds: ["wrk_a"] }]);
  expect(link.describeWorkers().held).toEqual(["wrk_b"]);
});

it("heartbeats are at most a few messages a second for each worker, and the first of a resumed event loop is sent at once", () => {
  let now = 0;
  const link = createHostLink(() => now);
  const { messages, send } = createReceiver();
  link.workerAlive("wrk_a", { isResponsive: true });
  link.connect(send);
  for (now = 0; now < 1_000; now += 1) link.workerAlive("wrk_a", { isResponsive: true });
  expect(messages).toHaveLength(4);
  link.workerAlive("wrk_b", { isResponsive: false });
  link.workerAlive("wrk_b", { isResponsive: false });
  link.workerAlive("wrk_b", { isResponsive: true });
  expect(messages.slice(4)).toEqual([
    { type: "worker-alive", workerId: "wrk_b", isResponsive: false },
    { type: "worker-alive", workerId: "wrk_b", isResponsive: true },
  ]);
});

it("after the link is closed, no request waits for a receiver", async () => {
  const link = createHostLink();
  const died = link.workerDied(lost);
  const isolated = link.isolatedRuns();
  link.close();
  expect(await died).toEqual([]);
  expect(await isolated).toEqual({ queued: 0, nextAt: null });
  expect(await link.workerDied(lost)).toEqual([]);
  expect(await link.takeDelivery({ delivery: fed, url: "https://hooks.example.com", isMatchOnly: false })).toBeNull();
});

it("every message reaches the host, and requests are answered with its results", async () => {
  const calls: unknown[] = [];
  const record =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given]);
  const host: RunHost = {
    start: async () => {},
    accept: record("accept"),
    acceptDelivery: async () => ({ kind: "accepted" }),
    wake: record("wake"),
    cancel: record("cancel"),
    workerStarted: record("workerStarted"),
    workerAlive: record("workerAlive"),
    async workerDied(given) {
      calls.push(["workerDied", given]);
      return [attempt];
    },
    hold: async (ids) => void calls.push(["hold", ids]),
    release: record("release"),
    isolatedRuns: async () => ({ queued: 2, nextAt: 5 }),
    countBlockedRuns: async () => 3,
    stop: record("stop"),
    close: async () => {},
  };
  const takeDelivery: TakeDelivery = async (given) => {
    calls.push(["takeDelivery", given.delivery.id, given.url]);
    return { taken: "known" };
  };
  const link = createHostLink();
  link.connect((message) => {
    // Serialized, as between processes.
    const received: HostMessage = JSON.parse(JSON.stringify(message));
    serveHostLink({ host, takeDelivery }, received, (answer) => link.handleAnswer(JSON.parse(JSON.stringify(answer))));
  });
  link.workerAlive("wrk_a", { isResponsive: false });
  await link.hold(["wrk_a"]);
  link.release(["wrk_a"]);
  expect(await link.workerDied(lost)).toEqual([attempt]);
  expect(await link.isolatedRuns()).toEqual({ queued: 2, nextAt: 5 });
  expect(await link.countBlockedRuns()).toBe(3);
  expect(await link.takeDelivery({ delivery: fed, url: "https://hooks.example.com", isMatchOnly: false })).toEqual({
    taken: "known",
  });
  link.stop();
  serveHostLink({ host, takeDelivery }, { type: "runs-queued" }, () => {});
  serveHostLink({ host, takeDelivery }, { type: "cancel-requested", runId: "run_1" }, () => {});
  await turn();
  expect(calls).toEqual([
    ["workerAlive", "wrk_a", { isResponsive: false }],
    ["hold", ["wrk_a"]],
    ["release", ["wrk_a"]],
    ["workerDied", expect.objectContaining(lost)],
    ["takeDelivery", "dlv_1", "https://hooks.example.com"],
    ["stop"],
    ["wake"],
    ["cancel", "run_1"],
  ]);
});
