import { createRemoteJWKSet, customFetch, jwtVerify } from "jose";
import { isRecord } from "./body.ts";

/** The public keys of the issuers of ID tokens, loaded over HTTPS and kept in memory. */

const loadTimeoutMs = 1_500;
/** After a failure, the issuer is not asked again for so long: a flood of webhooks must not become one of requests. */
const pauseMs = 5_000;
const maxDocument = 256 * 1024;

/** Where an issuer has its keys: `metadataUrl` is a document that has the `issuer` and its `jwks_uri`. */
export type KeySource = { jwksUri: string } | { metadataUrl: string; issuer: string };

type IssuerKeys = ReturnType<typeof createRemoteJWKSet>;

export type JsonObject = Readonly<Record<string, unknown>>;

/** By URL. The URLs are those of the project's options, so there are few. */
const loading = new Map<string, Promise<IssuerKeys>>();
const pauses = new Map<string, { until: number; error: unknown }>();

/** No symmetric algorithms: a public key must never be accepted as a shared secret. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

/**
 * The claims of a token, and the public key that signed it. Rejects with an error of `jose` if the token is invalid,
 * and with any error if the keys cannot be loaded.
 */
export async function verifyToken(
  token: string,
  expected: { issuer: string; keys: KeySource; audience: string[]; toleranceMs: number; atMs: number },
): Promise<{ claims: JsonObject; key: JsonObject }> {
  const keys = await keysOf(expected.keys);
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: expected.issuer,
    audience: expected.audience,
    algorithms,
    clockTolerance: expected.toleranceMs / 1000,
    currentDate: new Date(expected.atMs),
    requiredClaims: ["exp"],
  });
  const known = keys.jwks()?.keys ?? [];
  const key = known.length === 1 ? known[0] : known.find(({ kid }) => kid === protectedHeader.kid);
  return { claims: payload, key: { ...key } };
}

/** The keys of an issuer, which are loaded again if one is missing or after ten minutes. Rejects if they cannot be. */
async function keysOf(source: KeySource): Promise<IssuerKeys> {
  const name = "jwksUri" in source ? source.jwksUri : source.metadataUrl;
  const known = loading.get(name);
  if (known) return known;
  const keys = ("jwksUri" in source ? Promise.resolve(source.jwksUri) : discover(source)).then((url) =>
    createRemoteJWKSet(new URL(url), options),
  );
  loading.set(name, keys);
  keys.catch(() => loading.delete(name));
  return keys;
}

const options: Parameters<typeof createRemoteJWKSet>[1] = {
  timeoutDuration: loadTimeoutMs,
  [customFetch]: async (url, { signal }) =>
    Response.json(await load(url, signal, (document) => Array.isArray(document["keys"]))),
};

/** HTTPS, or HTTP on this machine, for tests. */
export function isKeyUrl(value: unknown): value is string {
  if (typeof value !== "string" || !URL.canParse(value)) return false;
  const { protocol, hostname, username } = new URL(value);
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return username === "" && (protocol === "https:" || (protocol === "http:" && isLocal));
}

async function discover({ metadataUrl, issuer }: { metadataUrl: string; issuer: string }): Promise<string> {
  const isOfIssuer = (document: JsonObject) => document["issuer"] === issuer;
  const url = (await load(metadataUrl, AbortSignal.timeout(loadTimeoutMs), isOfIssuer))["jwks_uri"];
  if (isKeyUrl(url)) return url;
  throw new Error(`jwks_uri of ${metadataUrl} must be a URL that begins with https://`);
}

/** A JSON object of limited size. Rejects, also for a while after a failure, with the reason. */
async function load(
  url: string,
  signal: AbortSignal,
  isExpected: (document: JsonObject) => boolean,
): Promise<JsonObject> {
  const pause = pauses.get(url);
  if (pause && performance.now() < pause.until) throw pause.error;
  try {
    const response = await fetch(url, { redirect: "error", signal, headers: { accept: "application/json" } });
    if (response.status !== 200) throw new Error(`${url} answered with status ${response.status}`);
    const document: unknown = JSON.parse(await readLimited(response, url));
    if (!isRecord(document) || !isExpected(document)) throw new Error(`${url} is not the expected document`);
    pauses.delete(url);
    return document;
  } catch (error) {
    pauses.set(url, { until: performance.now() + pauseMs, error });
    throw error;
  }
}

async function readLimited(response: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > maxDocument) throw new Error(`${url} is larger than ${maxDocument} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
