import { Agent, request } from "node:http";
import { z } from "zod";
import { type OrderKind, orderKinds, seatAttachment, seats } from "./audited-project.ts";
import type { Answer, Order } from "./facts.ts";
import { createRandom, type Random } from "./random.ts";

export interface ClientsOptions {
  clients: number;
  seed: number;
  /** Maximum pause of a client between two orders, ms. */
  paceMs: number;
  /** How long a step of an order takes, ms. */
  ms: { min: number; max: number };
  /** Called for every request. */
  url: () => string;
  key: string;
  /** Called as soon as the first bytes of a 202 are received. */
  onAcknowledged: () => void;
}

export interface Clients {
  /** The orders of all clients. */
  orders(): readonly Order[];
  /** Stops new orders. Resolves when every request with a key is answered. */
  finish(): Promise<void>;
}

const answerSchema = z.object({
  runs: z.array(z.object({ runId: z.string(), trigger: z.string(), target: z.object({ slug: z.string() }) })),
});
const retryAfterMs = 100;
const giveUpAfterMs = 90_000;

/** An order that is still being answered. */
export interface Ledger extends Order {
  answers: Answer[];
}

interface Sending {
  order: Ledger;
  kind: OrderKind;
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
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  let isFinishing = false;
  const isGoing = () => !isFinishing;
  const ended = Array.from({ length: options.clients }, (_, client) =>
    live({ ...options, client, random: createRandom(options.seed * 1000 + client), agent, ledger, isGoing }),
  );
  return {
    orders: () => ledger,
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
  isGoing: () => boolean;
};

async function live(client: Client): Promise<void> {
  const { random } = client;
  for (let n = 1; client.isGoing(); n += 1) {
    const kind = random.pick(orderKinds);
    const id = `c${client.client}-${n}`;
    // Most senders use a key, and repeat a request until it is answered. The others have no key, and do not repeat.
    const order: Ledger = { id, key: random.chance(0.8) ? `key-${id}` : null, expected: kind.expected, answers: [] };
    client.ledger.push(order);
    const seat = kind.expected.includes(seatAttachment) ? random.pick(seats) : null;
    const ms = random.between(client.ms.min, client.ms.max);
    const body = JSON.stringify({ order: id, paid: kind.isPaid, ms, ...(seat !== null && { seat }) });
    if (seat !== null) order.seat = { key: seat, sentAt: performance.now(), acknowledgedAt: null };
    await sendUntilAnswered(client, { order, kind, body });
    // A sender that repeats a request although it was answered.
    if (order.key !== null && random.chance(0.2)) await sendUntilAnswered(client, { order, kind, body });
    await pause(random.between(0, client.paceMs));
  }
}

async function sendUntilAnswered(target: SenderTarget, p: Sending): Promise<void> {
  for (let patientAt = performance.now(); ;) {
    const answer = await send(target, p);
    if (answer) p.order.answers.push(answer);
    if (answer?.status === 202 && p.order.seat) p.order.seat.acknowledgedAt ??= performance.now();
    if (answer?.status === 202 || p.order.key === null) return;
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
        if (status === 202) onAcknowledged();
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

function runsOf(body: string): Record<string, string> {
  const { runs } = answerSchema.parse(JSON.parse(body));
  return Object.fromEntries(runs.map(({ runId, trigger, target }) => [`${trigger}:${target.slug}`, runId]));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
