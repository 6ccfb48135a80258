import { checkFunction, checkNames, checkOptions } from "../check-shape.ts";
import type { SignatureFault, SignedRequest } from "../definition.ts";
import { headerBytes, type Keys, readTokens, type Secret, type TokenKey } from "./secrets.ts";
import {
  defineVerification,
  fault,
  fingerprintOf,
  hashContent,
  missingSecret,
  missingSignature,
  readHeaderName,
  type Verification,
} from "./verification.ts";

/** A request, as `check` of `custom` receives it. */
export interface CustomRequest {
  /** The body as received. */
  readonly body: Uint8Array;
  /** The headers as received. The values of a repeated header are joined by `, `. */
  readonly headers: Headers;
  /** The HTTP method, e.g. `POST`. */
  readonly method: string;
  /**
   * The public URL with its query: the setting `baseUrl`, with path and query of the request. Without `baseUrl`, it has
   * the host that the sender used. `null`: the host is unknown.
   */
  readonly url: string | null;
  /** When the request was received. Compare a signed time with it, not with the clock. */
  readonly receivedAt: Date;
  /** The values of the option `secret`. */
  readonly secrets: readonly string[];
  /** Aborted after 2 seconds. Pass it to `fetch`. */
  readonly signal: AbortSignal;
}

/**
 * `true`: the request is genuine. `false`, or a `reason`, rejects it. The sender receives the reason, and the delivery
 * records it: it must not contain a secret.
 */
export type CustomResult = boolean | { readonly reason: string };

/** Options of `custom`. */
export interface CustomOptions {
  /** Name of the scheme in responses, records and the app: `[a-z0-9]+(-[a-z0-9]+)*`, e.g. `"acme"`. */
  name: string;
  /**
   * The sender's secret, at least 16 bytes; a list during a rotation. `check` receives it as `secrets`. A deployed
   * service does not start without it. Default: none.
   */
  secret?: Secret;
  /**
   * The header that contains the signature, e.g. `"x-acme-signature"`. A request without it is rejected before `check`,
   * and accepted from your machine in development. Default: `check` is called for every request.
   */
  header?: string;
  /** Headers that `check` covers. One of them can identify an event with `dedupe`. Default: none. */
  signedHeaders?: readonly string[];
  /**
   * Decides whether a request is genuine. It runs in the process that receives webhooks, before any trigger. If it
   * throws or takes more than 2 seconds, the sender gets 500 `verification_failed`, and nothing starts.
   */
  check: (request: CustomRequest) => CustomResult | Promise<CustomResult>;
}

/**
 * Verifies webhooks with a function of your own, for senders that no other function supports. Compare secrets with
 * `timingSafeEqual` of `node:crypto`. Throws a TypeError if an option is invalid.
 *
 * @example
 *   import { createHmac, timingSafeEqual } from "node:crypto";
 *   import { custom } from "signalbox/verify";
 *
 *   verify: custom({
 *     name: "acme",
 *     secret: process.env.ACME_SECRET,
 *     header: "x-acme-signature",
 *     check({ body, headers, secrets }) {
 *       const given = Buffer.from(headers.get("x-acme-signature") ?? "", "hex");
 *       return secrets.some((secret) => {
 *         const expected = createHmac("sha3-256", secret).update(body).digest();
 *         return given.length === expected.length && timingSafeEqual(given, expected);
 *       });
 *     },
 *   });
 */
export function custom(options: CustomOptions): Verification {
  checkOptions(options, "custom", 'custom({ name: "acme", check })');
  checkNames(options, "custom", ["name", "secret", "header", "signedHeaders", "check"]);
  const { name, check: decide, signedHeaders = [] } = options;
  if (typeof name !== "string" || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) || name.length > 64)
    throw new TypeError(
      `custom: name must have the form of a slug, but is ${JSON.stringify(name)}. Write name: "acme".`,
    );
  checkFunction(decide, "check", `custom({ name: ${JSON.stringify(name)} })`, "check: ({ body, headers }) => …");
  const header = options.header === undefined ? null : readHeaderName(options.header, "header", "custom");
  if (!Array.isArray(signedHeaders))
    throw new TypeError('custom: signedHeaders must be a list of header names. Write signedHeaders: ["x-event-id"].');
  const covered = signedHeaders.map((one: unknown) => readHeaderName(one, "signedHeaders", "custom"));
  const keys: Keys<TokenKey> =
    "secret" in options ? readTokens({ secret: options.secret }, "custom") : { keys: [], problem: null };
  const scheme = `custom: ${name}`;

  function check(request: SignedRequest, signal = new AbortController().signal) {
    if (header !== null && request.header(header) === null) return missingSignature(scheme, `header ${header}`);
    if (keys.problem) return missingSecret(scheme, keys.problem);
    const result: unknown = decide({
      body: request.body,
      headers: new Headers(Array.from(request.headers(), ([one, value]): [string, string] => [one, value])),
      method: request.method,
      url: request.url,
      receivedAt: new Date(request.receivedAtMs),
      secrets: keys.keys.map(({ text }) => text),
      signal,
    });
    return isPromise(result)
      ? Promise.resolve(result).then((value) => readResult(scheme, value))
      : readResult(scheme, result);
  }

  return defineVerification({
    scheme,
    secretProblem: keys.problem,
    check,
    isTimed: true,
    readsUrl: true,
    signedHeaders: covered,
    proofHeaders: header === null ? [] : [header],
    readSigned: (request) => ({
      header: (one) => (covered.includes(one) ? request.header(one) : null),
      contentHash: () =>
        hashContent(scheme, [
          ...covered.flatMap((one) => [one, ":", headerBytes(request.header(one) ?? ""), "\n"]),
          request.body,
        ]),
      validMs: null,
      coversBody: true,
    }),
    fingerprint: () => fingerprintOf([scheme, header, covered, identityOf(decide), String(decide)], keys),
  });
}

function readResult(scheme: string, result: unknown): SignatureFault | null {
  if (result === true) return null;
  if (result === false) return fault("mismatch", `The check rejected the request (${scheme}).`);
  if (typeof result === "object" && result !== null && "reason" in result && typeof result.reason === "string")
    return fault("mismatch", `The check rejected the request (${scheme}): ${result.reason.slice(0, 500)}`);
  return fault(
    "failed",
    `The check returned neither true nor false nor { reason } (${scheme}): it returned a value of type ${result === null ? "null" : typeof result}.`,
  );
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

const identities = new WeakMap<object, number>();
let functions = 0;

/** Two functions with the same text can decide differently: only the same function is equal. */
function identityOf(decide: object): number {
  const known = identities.get(decide);
  if (known !== undefined) return known;
  functions += 1;
  identities.set(decide, functions);
  return functions;
}
