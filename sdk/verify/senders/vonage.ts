import { createHash } from "node:crypto";
import { checkNames, checkOptions } from "../../check-shape.ts";
import type { SignatureFault, SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { findTokens, maxToken, missingToken } from "../bearer.ts";
import { isRecord } from "../body.ts";
import { fromAnyBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import {
  checkTime,
  defineVerification,
  fault,
  fingerprintOf,
  hashContent,
  missingSecret,
  readTolerance,
  type Verification,
} from "../verification.ts";

/**
 * Verifies signed webhooks of Vonage: the header `authorization` has a JWT that is signed with the signature secret
 * (HS256), and its claim `payload_hash` is the SHA-256 of the body. Vonage must send POST. Send the webhook key in the
 * URL. Throws a TypeError if an option is invalid.
 * https://developer.vonage.com/en/getting-started/concepts/webhooks#decoding-signed-webhooks
 *
 * @example
 *   import { vonage } from "signalbox/verify";
 *
 *   verify: vonage({ secret: process.env.VONAGE_SIGNATURE_SECRET });
 */
export function vonage(options: {
  /** The signature secret of the account or of the API key; a list during a rotation. */
  secret: Secret;
  /** The API key that the claim `api_key` must have. Default: any that has the secret. */
  apiKey?: string;
  /** Maximum difference between the time of the token (`iat`) and the server's clock. Default: `"5m"`. */
  tolerance?: Duration;
}): Verification {
  checkOptions(options, "vonage", "vonage({ secret: process.env.VONAGE_SIGNATURE_SECRET })");
  const { apiKey } = options;
  if (apiKey !== undefined && (typeof apiKey !== "string" || apiKey === ""))
    throw new TypeError('vonage: apiKey must be a string. Write apiKey: "a1b2c3d4", or leave it out.');
  const secrets = readSecrets(options, { scheme: "vonage", decode: textKey });
  checkNames(options, "vonage", ["secret", "apiKey", "tolerance"]);
  const toleranceMs = readTolerance(options.tolerance, "vonage");

  function check(request: SignedRequest): SignatureFault | null {
    const header = "authorization";
    const value = request.header(header) ?? "";
    const [token, ...others] = findTokens(value);
    if (token === undefined) return missingToken("vonage", { token: "JWT", header, value });
    if (secrets.problem) return missingSecret("vonage", secrets.problem);
    const parts = token.length > maxToken || others.length > 0 ? null : readToken(token);
    if (!parts) return fault("malformed", "The header authorization must have one JWT (vonage).");
    const { algorithm, claims, content, signature } = parts;
    if (algorithm !== "HS256") return fault("mismatch", "The JWT is not signed with HS256 (vonage).");
    if (!secrets.keys.map((key) => key.accepts([content], [signature])).includes(true))
      return fault("mismatch", "The JWT was not signed with the secret of the endpoint (vonage).");
    return checkClaims(claims, request) ?? checkTime(timeOf(claims), request, token);
  }

  function checkClaims(claims: Claims, { body, method, receivedAtMs }: SignedRequest): SignatureFault | null {
    const { iss, nbf, exp } = claims;
    if (iss !== undefined && iss !== "Vonage") return fault("mismatch", "The JWT has another issuer (vonage).");
    if (apiKey !== undefined && claims["api_key"] !== apiKey)
      return fault("mismatch", "The JWT belongs to another API key: its claim api_key is not apiKey (vonage).");
    if (typeof exp === "number" && exp * 1000 + toleranceMs <= receivedAtMs)
      return fault("expired", "The JWT has expired (vonage).");
    if (typeof nbf === "number" && nbf * 1000 - toleranceMs > receivedAtMs)
      return fault("expired", "The JWT is not valid yet (vonage).");
    if (method !== "POST")
      return fault("malformed", "Only POST can be checked. Select POST as the method of the webhook (vonage).");
    if (typeof claims["payload_hash"] === "string" && claims["payload_hash"].toLowerCase() === sha256(body))
      return null;
    return fault(
      "mismatch",
      "The claim payload_hash is not the SHA-256 of the body (vonage). A proxy may have changed it.",
    );
  }

  const timeOf = ({ iat }: Claims) => ({
    name: "vonage",
    time: {
      source: "claim iat",
      toleranceMs,
      read: () => (typeof iat === "number" && Number.isFinite(iat) ? iat * 1000 : null),
    },
  });

  return defineVerification({
    scheme: "vonage",
    secretProblem: secrets.problem,
    check,
    signedHeaders: [],
    readSigned: ({ body }) => ({
      header: () => null,
      // A retry has another JWT.
      contentHash: () => hashContent("vonage", [body]),
      validMs: 2 * toleranceMs,
      coversBody: true,
    }),
    sign({ body, receivedAtMs }) {
      const [key] = secrets.keys;
      if (!key) return null;
      const payloadHash = sha256(body);
      const claims = {
        iat: Math.floor(receivedAtMs / 1000),
        jti: payloadHash.slice(0, 32),
        iss: "Vonage",
        payload_hash: payloadHash,
        ...(apiKey !== undefined && { api_key: apiKey }),
      };
      const content = [{ alg: "HS256", typ: "JWT" }, claims].map((part) => base64url(JSON.stringify(part))).join(".");
      return { authorization: `Bearer ${content}.${base64url(key.sign([content]))}` };
    },
    fingerprint: () => fingerprintOf(["vonage", apiKey ?? null, toleranceMs], secrets),
  });
}

type Claims = Readonly<Record<string, unknown>>;

interface TokenParts {
  algorithm: unknown;
  claims: Claims;
  content: string;
  signature: Uint8Array;
}

/** `null`: it is no JWT. */
function readToken(token: string): TokenParts | null {
  const [head = "", payload = "", end = ""] = token.split(".");
  const [header, claims, signature] = [readPart(head), readPart(payload), fromAnyBase64(end)];
  // An extension that must be understood is not.
  if (!header || !claims || !signature || header["crit"] !== undefined) return null;
  return { algorithm: header["alg"], claims, content: `${head}.${payload}`, signature };
}

function readPart(text: string): Claims | null {
  const bytes = fromAnyBase64(text);
  if (!bytes) return null;
  try {
    const part: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isRecord(part) ? part : null;
  } catch {
    return null;
  }
}

function sha256(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("hex");
}

function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64url");
}
