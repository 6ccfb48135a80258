import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { credentialsIn } from "../../auth/authenticate/credentials.ts";

/**
 * The response header in which web reports to the receiver whether the credentials of the request are valid. The
 * receiver removes it.
 */
export const credentialsHeader = "signalbox-credentials";
export type CredentialsVerdict = "valid" | "invalid";

/** Each needs about 200 bytes. */
const maxKnown = 10_000;

/** `known`: they were valid when web last checked them. */
export type CredentialsKind = "known" | "unknown" | "none";

/** The credentials of one request. */
export interface RequestCredentials {
  kind: CredentialsKind;
  /** Takes the verdict from the headers of web's response. */
  learn(answer: Pick<IncomingMessage, "headers">): void;
}

/**
 * The credentials that were valid when web last checked them, as hashes. The receiver cannot check credentials by
 * itself, and anyone can send invalid ones: so these distinguish people and tokens from a flood.
 */
export function createKnownCredentials(
  max: number = maxKnown,
): (request: Pick<IncomingMessage, "headers">) => RequestCredentials {
  const known = new Set<string>();
  return (request) => {
    const id = idOf(request);
    if (id === null) return { kind: "none", learn() {} };
    return {
      kind: known.has(id) ? "known" : "unknown",
      learn({ headers }) {
        const verdict = headers[credentialsHeader];
        if (verdict === undefined) return;
        known.delete(id);
        if (verdict !== ("valid" satisfies CredentialsVerdict)) return;
        known.add(id);
        const [oldest] = known;
        if (known.size > max && oldest !== undefined) known.delete(oldest);
      },
    };
  };
}

/** `null`: the request has no credentials. */
function idOf({ headers }: Pick<IncomingMessage, "headers">): string | null {
  const credentials = credentialsIn((name) => headers[name]?.toString() ?? null);
  return credentials.length === 0 ? null : createHash("sha256").update(JSON.stringify(credentials)).digest("base64");
}
