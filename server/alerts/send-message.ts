import { createHmac } from "node:crypto";
import type { AlertMessageType, Destination } from "../contract/alert.ts";
import type { AlertDestinations } from "../config.ts";
import { describeAlert, toSlackText } from "../domain/alerts/describe-alert.ts";
import type { StoredAlert } from "../domain/alerts/plan-alerts.ts";
import { formatInterval } from "../shared/format.ts";

/** A message in the form in which it is sent. */
export interface OutgoingMessage {
  id: string;
  destination: Destination;
  type: AlertMessageType | "alert.test";
  /** When the alert changed: the same in every attempt. */
  at: number;
  alert: StoredAlert;
}

/** `error` never contains a URL. `isFinal`: another attempt would fail, too. */
export type SendResult = { isSent: true } | { isSent: false; error: string; isFinal: boolean };

const timeoutMs = 10_000;

/** Sends a message once. Redirects are not followed. Never rejects. */
export async function sendMessage(
  message: OutgoingMessage,
  p: { destinations: AlertDestinations; baseUrl: string; now: number },
): Promise<SendResult> {
  const request = toRequest(message, p);
  if (!request) return { isSent: false, error: "the destination is not configured", isFinal: false };
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": "Signalbox", ...request.headers },
      body: request.body,
      redirect: "manual",
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel();
    if (response.ok) return { isSent: true };
    // Standard Webhooks: the receiver is permanently gone.
    return { isSent: false, error: `status ${response.status}`, isFinal: response.status === 410 };
  } catch (error) {
    return { isSent: false, error: reasonOf(error), isFinal: false };
  }
}

interface OutgoingRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

function toRequest(
  { id, destination, type, at, alert }: OutgoingMessage,
  p: { destinations: AlertDestinations; baseUrl: string; now: number },
): OutgoingRequest | null {
  const described = describeAlert(alert);
  const data = { ...described, url: `${p.baseUrl}${described.path}` };
  if (destination === "slack") {
    const text = type === "alert.test" ? "*Test*: alerts of Signalbox arrive here." : toSlackText(type, data);
    return p.destinations.slack && { url: p.destinations.slack.url, headers: {}, body: JSON.stringify({ text }) };
  }
  const { webhook } = p.destinations;
  if (!webhook) return null;
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
  return { url: webhook.url, headers: signHeaders({ id, body, secret: webhook.secret, now: p.now }), body };
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function signHeaders(p: { id: string; body: string; secret: Uint8Array; now: number }): Record<string, string> {
  const timestamp = String(Math.floor(p.now / 1000));
  const signature = createHmac("sha256", p.secret).update(`${p.id}.${timestamp}.${p.body}`).digest("base64");
  return { "webhook-id": p.id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}

/** The code of the failure only: messages of the network can contain the address. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === "TimeoutError") return `no response within ${formatInterval(timeoutMs)}`;
  const cause = error instanceof Error ? error.cause : null;
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  return typeof code === "string" ? `no connection (${code})` : "no connection";
}
