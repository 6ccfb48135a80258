import { type Problem, problemSchema } from "../../server/contract/problem.ts";
import { unreachable } from "./remote-transport.ts";

export interface WebhookAnswer {
  status: number;
  deliveryId: string | null;
  durationMs: number;
  /** The parsed body; `null` if it is not JSON. */
  body: unknown;
  problem: Problem | null;
}

/** Sends a body as a sender would: over HTTP, byte for byte. Throws a Failure without a response. */
export async function sendWebhook(p: { serviceUrl: string; path: string; body: Uint8Array }): Promise<WebhookAnswer> {
  const startedAt = performance.now();
  const response = await fetch(p.serviceUrl + p.path, {
    method: "POST",
    headers: { "content-type": "application/json", "user-agent": "signalbox-cli" },
    body: Buffer.from(p.body),
    redirect: "manual",
  }).catch((cause: unknown) => {
    throw unreachable(p.serviceUrl, cause);
  });
  const body: unknown = await response.json().catch(() => null);
  return {
    status: response.status,
    deliveryId: response.headers.get("signalbox-delivery"),
    durationMs: Math.round(performance.now() - startedAt),
    body,
    problem: response.ok ? null : (problemSchema.safeParse(body).data ?? null),
  };
}
