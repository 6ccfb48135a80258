import { Agent, request } from "node:http";
import { z } from "zod";
import {
  kitKind,
  type OrderKind,
  orderKinds,
  purchaseKind,
  seatAttachment,
  seats,
  shipmentsEndpoint,
} from "./audited-project.ts";
import type { Answer, Order, RequestTimes, Shipment } from "./facts.ts";
import { createRandom, type Random } from "./random.ts";
import type { Secrets } from "./service.ts";

export interface ClientsOptions extends Secrets {
  clients: number;
  seed: number;
  /** Default: all. */
  kinds?: readonly OrderKind[];
  /** Maximum pause of a client between two orders, ms. */
  paceMs: number;
  /** How long a step of an order takes, ms. */
  ms: { min: number; max: number };
  /** Called for every request. */
  url: () => string;
  /** Called as soon as the first bytes of a 202 are received. */
  onAcknowledged: () => void;
}

export interface Clients {
  /** The orders of all clients. */
  orders(): readonly Order[];
  shipments(): readonly Shipment[];
  /** Stops new orders. Resolves when every request with a key is answered. */
  finish(): Promise<void>;
}

const answerSchema = z.object({
  runs: z
    .array(z.object({ runId: z.string(), trigger: z.string(), target: z.object({ slug: z.string() }) }))
    .default([]),
});
const retryAfterMs = 100;
const giveUpAfterMs = 90_000;

/** An order that is still being answered. */
export interface Ledger extends Order {
  answers: Answer[];
}

interface Sending {
  order: { key: string | null; answers: Answer[]; times?: RequestTimes };
  kind: Pick<OrderKind, "endpoint">;
  body: string;
}

type SenderTarget = Pick<ClientsOptions, "url" | "key" | "onAcknowledged"> & {
  agent?: Agent;
  /** While this returns true, clients keep retrying, because the service is being killed. */
  isGoing?: () => boolean;
};

/** One sender that keeps no records. */
export function createSender(target: SenderTarget): (p: Sending) => Promise<void> {
  return (p) => sendUntilAnswered(target, p);
}

/**
 * Clients that send one order after the other. They record each request before they send it, and each response that
 * they receive.
 */
export function startClients(options: ClientsOptions): Clients {
  const ledger: Ledger[] = [];
  const shipments: Shipment[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  let isFinishing = false;
  const isGoing = () => !isFinishing;
  const ended = Array.from({ length: options.clients }, (_, client) =>
    live({ ...options, client, random: createRandom(options.seed * 1000 + client), agent, ledger, shipments, isGoing }),
  );
  return {
    orders: () => ledger,
    shipments: () => shipments,
    async finish() {
      isFinishing = true;
      await Promise.all(ended);
      agent.destroy();
    },
  };
}

type Client = ClientsOptions & {
  client: number;
  random: Random;
  agent: Agent;
  ledger: Ledger[];
  shipments: Shipment[];
  isGoing: () => boolean;
};

async function live(client: Client): Promise<void> {
  const { random } = client;
  for (let n = 1; client.isGoing(); n += 1) {
    const kind = random.pick(client.kinds ?? orderKinds);
    const id = `c${client.client}-${n}`;
    // Most senders use a key, and repeat a request until it is answered. The others have no key, and do not repeat.
    const order: Ledger = { id, key: random.chance(0.8) ? `key-${id}` : null, expected: kind.expected, answers: [] };
    client.ledger.push(order);
    const seat = kind.expected.includes(seatAttachment) ? random.pick(seats) : null;
    // Runs that wait are active for so long that many shipments are received meanwhile.
    const ms = random.between(client.ms.min, kind === purchaseKind ? 5 * client.ms.max : client.ms.max);
    const body = { order: id, paid: kind.isPaid, ms, ...(seat !== null && { seat }) };
    if (seat !== null) order.seat = seat;
    if (kind === purchaseKind) await sendPurchase(client, order, body);
    else if (kind === kitKind) await sendKit(client, order, body);
    else await sendAndRepeat(client, { order, kind, body: JSON.stringify(body) });
    await pause(random.between(0, client.paceMs));
  }
}

/** Some senders repeat a request although it was answered. */
async function sendAndRepeat(client: Client, p: Sending): Promise<void> {
  await sendUntilAnswered(client, p);
  if (p.order.key !== null && client.random.chance(0.2)) await sendUntilAnswered(client, p);
}

/** The run of some kits fails. The run of others is canceled by the client, at the latest while it waits for its parts. */
async function sendKit(client: Client, order: Ledger, body: object): Promise<void> {
  const { random } = client;
  const ending = random.chance(0.6) ? null : random.pick(["failed", "canceled"] as const);
  if (ending) order.ending = ending;
  // A run that is not known to be accepted would never end.
  if (ending === "canceled") order.key = `key-${order.id}`;
  const kit = { ...body, parts: random.between(1, 6), ...(ending && { ending }) };
  await sendAndRepeat(client, { order, kind: kitKind, body: JSON.stringify(kit) });
  if (ending !== "canceled") return;
  await pause(random.between(0, 1_500));
  for (const giveUpAt = performance.now() + giveUpAfterMs; performance.now() < giveUpAt; await pause(retryAfterMs)) {
    const runId = order.answers.flatMap(({ runs }) => Object.values(runs ?? {}))[0];
    if (runId === undefined) await sendUntilAnswered(client, { order, kind: kitKind, body: JSON.stringify(kit) });
    else if (await cancel(client, runId)) return;
  }
}

/** Whether the run is, or will be, canceled. */
async function cancel({ url, token }: Client, runId: string): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  return fetch(`${url()}/api/v1/runs/${runId}/cancel`, { method: "POST", headers, signal: AbortSignal.timeout(15_000) })
    .then(({ status }) => status === 200 || status === 409)
    .catch(() => false);
}

const longWaitMs = 3_600_000;

/**
 * Sends a purchase and its shipments: before it, at the same time, or afterwards, when its run may already wait. The
 * last shipment is repeated until it is answered. Some runs wait only for a short time, and some of those time out.
 */
async function sendPurchase(client: Client, order: Ledger, body: object): Promise<void> {
  const { random } = client;
  const isPatient = random.chance(0.8);
  order.waitMs = isPatient ? longWaitMs : random.between(300, 2_500);
  // A purchase that is not known to be accepted would time out.
  order.key = `key-${order.id}`;
  let count = 0;
  const ship = (isCertain = false) => sendShipment(client, { orderId: order.id, n: (count += 1), isCertain });
  if (random.chance(0.1)) await ship();
  const request = { order, kind: purchaseKind, body: JSON.stringify({ ...body, waitMs: order.waitMs }) };
  await Promise.all([sendAndRepeat(client, request), random.chance(0.2) ? ship() : null]);
  if (!isPatient && random.chance(0.5)) return;
  await pause(random.pick([0, random.between(0, 300), random.between(300, 1_500)]));
  const first = random.chance(0.3) ? ship() : null;
  if (random.chance(0.5)) await first;
  await Promise.all([first, ship(true)]);
}

async function sendShipment(
  client: Client,
  { orderId, n, isCertain }: { orderId: string; n: number; isCertain: boolean },
): Promise<void> {
  const id = `${orderId}-p${n}`;
  const times = { sentAt: performance.now(), acknowledgedAt: null };
  const key = isCertain || client.random.chance(0.7) ? `key-${id}` : null;
  const shipment = { id, orderId, key, times, answers: [] };
  client.shipments.push(shipment);
  const body = JSON.stringify({ order: orderId, parcel: id });
  await sendAndRepeat(client, { order: shipment, kind: { endpoint: shipmentsEndpoint }, body });
}

async function sendUntilAnswered(target: SenderTarget, p: Sending): Promise<void> {
  p.order.times ??= { sentAt: performance.now(), acknowledgedAt: null };
  const { times } = p.order;
  for (let patientAt = performance.now(); ;) {
    const answer = await send(target, p);
    if (answer) p.order.answers.push(answer);
    const isDone = answer !== null && isSuccess(answer.status);
    if (isDone) times.acknowledgedAt ??= performance.now();
    if (isDone || p.order.key === null) return;
    if (target.isGoing?.()) patientAt = performance.now();
    if (performance.now() > patientAt + giveUpAfterMs) return;
    await pause(retryAfterMs);
  }
}

/** `null`: there was no response. */
function send(
  { url, key, agent, onAcknowledged }: SenderTarget,
  { order, kind, body }: Sending,
): Promise<Answer | null> {
  return new Promise((resolve) => {
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "x-api-key": key,
      ...(order.key === null ? {} : { "idempotency-key": order.key }),
    };
    const sent = request(
      `${url()}/triggers/${kind.endpoint}`,
      { method: "POST", ...(agent ? { agent } : {}), headers, timeout: 15_000 },
      (response) => {
        const status = response.statusCode ?? 0;
        if (isSuccess(status)) onAcknowledged();
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("close", () =>
          resolve({ status, runs: response.complete && status === 202 ? runsOf(text) : null }),
        );
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(null));
    sent.end(body);
  });
}

/** 200: no trigger starts a run, and none waits. */
const isSuccess = (status: number) => status === 200 || status === 202;

function runsOf(body: string): Record<string, string> {
  const { runs } = answerSchema.parse(JSON.parse(body));
  return Object.fromEntries(runs.map(({ runId, trigger, target }) => [`${trigger}:${target.slug}`, runId]));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
