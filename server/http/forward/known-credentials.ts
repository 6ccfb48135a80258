import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/**
 * The response header in which web reports to the receiver whether the credentials of the request are valid. The
 * receiver removes it.
 */
export const credentialsHeader = "signalbox-credentials";
export type CredentialsVerdict = "valid" | "invalid";

/** Each needs about 200 bytes. */
const maxKnown = 10_000;
const headerNames = ["authorization", "x-api-key", "cookie"] as const;

export interface KnownCredentials {
  /** Whether the last request with the same credentials had valid ones. Without credentials: `false`. */
  includes(request: IncomingMessage): boolean;
  /** Takes the verdict from the headers of web's response. */
  learn(request: IncomingMessage, answer: IncomingMessage): void;
}

/**
 * The credentials that web accepted last, as hashes. The receiver cannot check credentials by itself, and anyone can
 * send invalid ones: so these distinguish people and tokens from a flood.
 */
export function createKnownCredentials(max: number = maxKnown): KnownCredentials {
  const known = new Set<string>();
  return {
    includes(request) {
      const id = idOf(request);
      return id !== null && known.has(id);
    },
    learn(request, { headers }) {
      const id = idOf(request);
      const verdict = headers[credentialsHeader];
      if (id === null || verdict === undefined) return;
      known.delete(id);
      if (verdict !== ("valid" satisfies CredentialsVerdict)) return;
      known.add(id);
      const [oldest] = known;
      if (known.size > max && oldest !== undefined) known.delete(oldest);
    },
  };
}

/** `null`: the request has no credentials. */
function idOf({ headers }: IncomingMessage): string | null {
  if (headerNames.every((name) => headers[name] === undefined)) return null;
  return createHash("sha256")
    .update(JSON.stringify(headerNames.map((name) => headers[name])))
    .digest("base64");
}
