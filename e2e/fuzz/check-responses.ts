import { errorCodes } from "../../server/contract/error-codes.ts";
import type { Received } from "./send-wire.ts";

export interface Fault {
  kind: "server error" | "secret" | "log" | "exit" | "bystander" | "memory";
  detail: string;
}

/** Of a 503 that is documented: the service is busy, and says so. */
const documented503 = Object.entries(errorCodes)
  .filter(([, { status, retryable }]) => status === 503 && retryable)
  .map(([code]) => `"code":"${code}"`);
/** Failures within the responses of tRPC and JSON-RPC, whose status is that of the whole batch. */
const innerFailures = ['"code":"INTERNAL_SERVER_ERROR"', '"code":"internal"', '"code":-32603'];
const maxDetail = 600;

/** The faults in the responses to one case. */
export function checkResponses(received: readonly Received[], findSecret: SecretFinder): Fault[] {
  return received.flatMap(({ status, head, body }) => {
    const faults: Fault[] = [];
    const shown = `${head}\n\n${body}`.slice(0, maxDetail);
    const inner = /^content-type: application\/(?:problem\+)?json/im.test(head)
      ? innerFailures.find((failure) => body.includes(failure))
      : undefined;
    if ((status >= 500 && !isDocumented(status, head, body)) || inner !== undefined)
      faults.push({ kind: "server error", detail: shown });
    const text = `${withoutOwnCookie(head)}\n\n${body}`;
    const secret = findSecret(text);
    if (secret !== null) {
      const around = text.slice(Math.max(0, secret.at - maxDetail / 2), secret.at + maxDetail / 2);
      faults.push({ kind: "secret", detail: `${secret.name} is in the response: ${around}` });
    }
    return faults;
  });
}

function isDocumented(status: number, head: string, body: string): boolean {
  if (status !== 503) return false;
  // A page for browsers, which has no code.
  if (/^content-type: text\/html/im.test(head)) return true;
  // No process of the service restarts while it is fuzzed.
  return documented503.some((code) => body.includes(code)) && !body.includes("are restarting");
}

/** A browser that signs in with a token gets it as its cookie. */
function withoutOwnCookie(head: string): string {
  return head.replaceAll(/^set-cookie: signalbox_session=[^\r\n]*/gim, "");
}

/** Finds a secret in text: its name, and where it is. */
export type SecretFinder = (text: string) => { name: string; at: number } | null;

/** Finds a secret also as base64, in any position. */
export function createSecretFinder(secrets: Readonly<Record<string, string>>): SecretFinder {
  const forms = Object.entries(secrets).flatMap(([name, secret]) =>
    [secret, encodeURIComponent(secret), ...base64Forms(secret)].map((form) => ({ name, form })),
  );
  return (text) => {
    const found = forms.find(({ form }) => text.includes(form));
    return found ? { name: found.name, at: text.indexOf(found.form) } : null;
  };
}

/** The characters that base64 has for the secret, regardless of what is before and after it. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.from("\0".repeat(before) + secret)
      .toString("base64")
      .replaceAll("=", "");
    return encoded.slice(before === 0 ? 0 : before + 1, -2);
  });
}
