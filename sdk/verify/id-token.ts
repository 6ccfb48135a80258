import { errors } from "jose";
import type { SignatureFault, SignedRequest } from "../definition.ts";
import { findTokens, maxToken, missingToken } from "./bearer.ts";
import type { Keys, TokenKey } from "./secrets.ts";
import { defineVerification, fault, fingerprintOf, missingSecret, type Verification } from "./verification.ts";
import { describeLoadFailure } from "./load-failure.ts";
import { type JsonObject, type KeySource, verifyToken } from "./issuer-keys.ts";

/** How one sender uses ID tokens. */
export interface IdTokenScheme {
  name: string;
  /** The header with the token, with or without `Bearer`, in lower case. */
  header: string;
  issuer: string;
  keys: KeySource;
  audiences: Keys<TokenKey>;
  toleranceMs: number;
  /** Further rules for a valid token of the issuer. `key`: the public key that signed it. */
  checkClaims(claims: JsonObject, key: JsonObject, request: SignedRequest): SignatureFault | null;
  /** Distinguishes this scheme from others with the same name. */
  options: unknown;
}

/**
 * Verifies a JWT that an issuer signed for an audience. It proves the sender, but does not sign the body. If the keys
 * of the issuer cannot be loaded, the fault is `failed`, so the sender sends the event again.
 */
export function createIdTokenVerification(scheme: IdTokenScheme): Verification {
  const { name, header, issuer, audiences, toleranceMs } = scheme;

  async function check(request: SignedRequest): Promise<SignatureFault | null> {
    const value = request.header(header) ?? "";
    const [token, ...others] = findTokens(value, { isBare: header !== "authorization" });
    if (token === undefined) return missingToken(name, { token: "ID token", header, value });
    if (audiences.problem) return missingSecret(name, audiences.problem);
    if (others.length > 0 || token.length > maxToken)
      return fault("malformed", `The header ${header} must have one ID token of at most 8,192 characters (${name}).`);
    try {
      const { claims, key } = await verifyToken(token, {
        issuer,
        keys: scheme.keys,
        audience: audiences.keys.map(({ text }) => text),
        toleranceMs,
        atMs: request.receivedAtMs,
      });
      return scheme.checkClaims(claims, key, request);
    } catch (error) {
      return toFault(error, name);
    }
  }

  return defineVerification({
    scheme: name,
    secretProblem: audiences.problem,
    check,
    isTimed: true,
    proofHeaders: header === "authorization" ? [] : [header],
    // The token signs nothing of the request.
    signedHeaders: null,
    readSigned: () => null,
    fingerprint: () => fingerprintOf([name, header, issuer, scheme.keys, scheme.options, toleranceMs], audiences),
  });
}

/** What `jose` reports. Only errors of loading the keys say nothing about the token. */
function toFault(error: unknown, name: string): SignatureFault {
  if (error instanceof errors.JWTExpired) return fault("expired", `The ID token has expired (${name}).`);
  if (error instanceof errors.JWTClaimValidationFailed)
    return fault(
      "mismatch",
      `The ID token is not for this endpoint: its claim ${error.claim} is not as expected (${name}).`,
    );
  if (
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JOSEAlgNotAllowed
  )
    return fault("mismatch", `The ID token was not signed by a key of the issuer (${name}).`);
  if (error instanceof errors.JOSEError && !isOfKeys(error))
    return fault("malformed", `The ID token is malformed (${name}): ${error.code}`);
  return fault("failed", `The public keys of the issuer could not be loaded (${name}): ${describeLoadFailure(error)}`);
}

function isOfKeys(error: errors.JOSEError): boolean {
  const codes: string[] = [errors.JWKSTimeout.code, errors.JWKSInvalid.code, errors.JWKInvalid.code];
  // The generic error: the document with the keys is no JSON.
  return codes.includes(error.code) || error.code === errors.JOSEError.code;
}

/** `null`: the email of the token is verified, and one of these. */
export function checkEmail(
  claims: JsonObject,
  emails: readonly string[],
  name: string,
  option: string,
): SignatureFault | null {
  if (claims["email_verified"] === true && emails.includes(String(claims["email"]))) return null;
  return fault(
    "mismatch",
    `The ID token belongs to another account: its verified email is not in ${option} (${name}).`,
  );
}

/** A string, or a list of strings; `null` if it is not set. Throws a TypeError for any other value. */
export function readList(value: unknown, message: string): readonly string[] | null {
  if (value === undefined) return null;
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  const texts = list.filter((one) => typeof one === "string" && one !== "");
  if (texts.length === list.length && texts.length > 0) return texts.map(String);
  throw new TypeError(message);
}
