import { createRemoteJWKSet, customFetch, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { checkOptions } from "../../check-shape.ts";
import type { Duration, SignatureFault, SignedRequest } from "../../definition.ts";
import { isRecord } from "../body.ts";
import { readTokens, type Secret } from "../secrets.ts";
import {
  defineVerification,
  fault,
  fingerprintOf,
  missingSecret,
  missingSignature,
  readTolerance,
  type Verification,
} from "../verification.ts";

/** Options of `oidc`. */
export interface OidcOptions {
  /** The issuer of the tokens, e.g. `"https://accounts.google.com"`: exactly their claim `iss`. */
  issuer: string;
  /** The audience that you entered in the sender's settings: the claim `aud`. Of a list, one must be in the token. */
  audience: Secret;
  /** The `email` of the sender's account, which must be verified. A list allows several. Default: any. */
  email?: string | readonly string[];
  /** The claim `sub` of the sender's account. A list allows several. Default: any. */
  subject?: string | readonly string[];
  /** The URL of the issuer's public keys. Default: `jwks_uri` of `<issuer>/.well-known/openid-configuration`. */
  jwksUri?: string;
  /** Maximum clock difference. `"1s"` to `"24h"`. Default: `"1m"`. */
  tolerance?: Duration;
}

/** No symmetric algorithms: a public key must never be accepted as a shared secret. */
const algorithms = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const maxToken = 8192;

/**
 * Verifies ID tokens (OpenID Connect): the header `authorization` has a JWT that the issuer signed for this audience,
 * as Google Pub/Sub sends it. The token proves the sender, but does not sign the body. The public keys of the issuer
 * are loaded over HTTPS and kept in memory; if they cannot be loaded, the sender gets 500 and sends the event again.
 * The token is not stored. Send the webhook key in the URL. Throws a TypeError if an option is invalid.
 * https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 *
 * @example
 *   import { oidc } from "signalbox/verify";
 *
 *   verify: oidc({
 *     issuer: "https://accounts.google.com",
 *     audience: process.env.PUBSUB_AUDIENCE,
 *     email: "push@my-project.iam.gserviceaccount.com",
 *   });
 */
export function oidc(options: OidcOptions): Verification {
  checkOptions(options, "oidc", 'oidc({ issuer: "https://accounts.google.com", audience })');
  const audiences = readTokens(options, "oidc", "audience", 1);
  const issuer = readUrl(options.issuer, "issuer");
  const jwksUri = options.jwksUri === undefined ? null : readUrl(options.jwksUri, "jwksUri");
  const [emails, subjects] = [readList(options.email, "email"), readList(options.subject, "subject")];
  const toleranceMs = readTolerance(options.tolerance ?? "1m", "oidc");

  async function check(request: SignedRequest): Promise<SignatureFault | null> {
    const tokens = findTokens(request.header("authorization") ?? "");
    const [token, ...others] = tokens;
    if (token === undefined) return missingSignature("oidc", "ID token in authorization");
    if (audiences.problem) return missingSecret("oidc", audiences.problem);
    if (others.length > 0 || token.length > maxToken)
      return fault("malformed", "The header authorization must have one ID token of at most 8,192 characters (oidc).");
    try {
      const { payload } = await jwtVerify(token, await keysOf(issuer, jwksUri), {
        issuer,
        audience: audiences.keys.map(({ text }) => text),
        algorithms,
        clockTolerance: toleranceMs / 1000,
        currentDate: new Date(request.receivedAtMs),
        requiredClaims: ["exp"],
      });
      return checkAccount(payload, { emails, subjects });
    } catch (error) {
      return toFault(error);
    }
  }

  return defineVerification({
    scheme: "oidc",
    secretProblem: audiences.problem,
    check,
    isTimed: true,
    // The token signs nothing of the request.
    signedHeaders: null,
    readSigned: () => null,
    fingerprint: () => fingerprintOf(["oidc", issuer, jwksUri, emails, subjects, toleranceMs], audiences),
  });
}

/** The JWTs of the scheme Bearer. Other credentials, such as a webhook key, are none. */
function findTokens(header: string): string[] {
  return header.split(",").flatMap((part) => /^\s*bearer\s+([\w-]+\.[\w-]+\.[\w-]+)\s*$/i.exec(part)?.[1] ?? []);
}

function checkAccount(
  payload: JWTPayload,
  { emails, subjects }: { emails: readonly string[] | null; subjects: readonly string[] | null },
): SignatureFault | null {
  if (subjects && !subjects.includes(payload.sub ?? ""))
    return fault("mismatch", "The ID token belongs to another account: its claim sub is not in subject (oidc).");
  if (!emails) return null;
  if (payload["email_verified"] === true && emails.includes(String(payload["email"]))) return null;
  return fault("mismatch", "The ID token belongs to another account: its verified email is not in email (oidc).");
}

/** What `jose` reports. Only errors of loading the keys say nothing about the token. */
function toFault(error: unknown): SignatureFault {
  if (error instanceof errors.JWTExpired) return fault("expired", "The ID token has expired (oidc).");
  if (error instanceof errors.JWTClaimValidationFailed)
    return fault(
      "mismatch",
      `The ID token is not for this endpoint: its claim ${error.claim} is not as expected (oidc).`,
    );
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSEAlgNotAllowed
  )
    return fault("mismatch", "The ID token was not signed by a key of the issuer (oidc).");
  if (error instanceof errors.JOSEError && !isOfKeys(error))
    return fault("malformed", `The ID token is malformed (oidc): ${error.code}`);
  const reason = error instanceof Error ? error.message : String(error);
  return fault("failed", `The public keys of the issuer could not be loaded (oidc): ${reason}`);
}

function isOfKeys(error: errors.JOSEError): boolean {
  const codes: string[] = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JWKInvalid.code];
  // The generic error: the document with the keys is no JSON.
  return codes.includes(error.code) || error.code === errors.JOSEError.code;
}

// ---- the keys of the issuer ----

const loadTimeoutMs = 1_500;
/** After a failure, the issuer is not asked again for so long: a flood of webhooks must not become one of requests. */
const pauseMs = 5_000;
const maxDocument = 256 * 1024;

/** By URL. The URLs are those of the project's options, so there are few. */
const loading = new Map<string, Promise<JWTVerifyGetKey>>();
const pauses = new Map<string, { until: number; error: unknown }>();

/** The keys of an issuer, which are loaded again if one is missing or after ten minutes. */
async function keysOf(issuer: string, jwksUri: string | null): Promise<JWTVerifyGetKey> {
  const name = jwksUri ?? issuer;
  const known = loading.get(name);
  if (known) return known;
  const keys = (jwksUri === null ? discover(issuer) : Promise.resolve(jwksUri)).then((url) =>
    createRemoteJWKSet(new URL(url), {
      timeoutDuration: loadTimeoutMs,
      [customFetch]: async (keysUrl, { signal }) =>
        Response.json(await load(keysUrl, signal, (document) => Array.isArray(document["keys"]))),
    }),
  );
  loading.set(name, keys);
  keys.catch(() => loading.delete(name));
  return keys;
}

async function discover(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
  const isOfIssuer = (document: Document) => document["issuer"] === issuer;
  return readUrl((await load(url, AbortSignal.timeout(loadTimeoutMs), isOfIssuer))["jwks_uri"], "jwks_uri");
}

type Document = Readonly<Record<string, unknown>>;

/** A JSON object of limited size. Rejects, also for a while after a failure, with the reason. */
async function load(url: string, signal: AbortSignal, isExpected: (document: Document) => boolean): Promise<Document> {
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

// ---- options ----

/** HTTPS, or HTTP on this machine, for tests. */
function readUrl(value: unknown, option: string): string {
  if (typeof value === "string" && URL.canParse(value)) {
    const { protocol, hostname, username } = new URL(value);
    const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
    if (username === "" && (protocol === "https:" || (protocol === "http:" && isLocal))) return value;
  }
  throw new TypeError(
    `oidc: ${option} must be a URL that begins with https://, but is ${JSON.stringify(value)}. Write issuer: "https://accounts.google.com".`,
  );
}

function readList(value: unknown, option: string): readonly string[] | null {
  if (value === undefined) return null;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.filter((one) => typeof one === "string" && one !== "");
  if (texts.length === list.length && texts.length > 0) return texts.map(String);
  throw new TypeError(`oidc: ${option} must be a string or a list of strings. Leave it out to allow every account.`);
}
