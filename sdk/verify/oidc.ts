import { checkNames, checkOptions } from "../check-shape.ts";
import type { Duration } from "../duration.ts";
import { readTokens, type Secret } from "./secrets.ts";
import { fault, readHeaderName, readTolerance, type Verification } from "./verification.ts";
import { checkEmail, createIdTokenVerification, readList } from "./id-token.ts";
import { isKeyUrl } from "./issuer-keys.ts";

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
  /** The header with the token, alone or after `Bearer`, e.g. `"x-goog-iap-jwt-assertion"`. Default: `authorization`. */
  header?: string;
  /** Maximum clock difference. `"1s"` to `"24h"`. Default: `"1m"`. */
  tolerance?: Duration;
}

/**
 * Verifies ID tokens (OpenID Connect): the header `authorization` has a JWT that the issuer signed for this audience.
 * The token proves the sender, but does not sign the body. The public keys of the issuer are loaded over HTTPS and kept
 * in memory; if they cannot be loaded, the sender gets 500 and sends the event again. The token is not stored. Send the
 * webhook key in the URL. `googlePubSub` and `botFramework` have these options for their senders. Throws a TypeError if
 * an option is invalid. https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation
 *
 * @example
 *   import { oidc } from "signalbox/verify";
 *
 *   verify: oidc({
 *     issuer: "https://accounts.google.com",
 *     audience: process.env.TASKS_AUDIENCE,
 *     email: "tasks@my-project.iam.gserviceaccount.com",
 *   });
 */
export function oidc(options: OidcOptions): Verification {
  checkOptions(options, "oidc", 'oidc({ issuer: "https://accounts.google.com", audience })');
  checkNames(options, "oidc", ["issuer", "audience", "email", "subject", "jwksUri", "header", "tolerance"]);
  const issuer = readUrl(options.issuer, "issuer");
  const listed = (option: "email" | "subject") =>
    readList(
      options[option],
      `oidc: ${option} must be a string or a list of strings. Leave it out to allow every account.`,
    );
  const [emails, subjects] = [listed("email"), listed("subject")];
  return createIdTokenVerification({
    name: "oidc",
    header: options.header === undefined ? "authorization" : readHeaderName(options.header, "header", "oidc"),
    issuer,
    keys:
      options.jwksUri === undefined
        ? { metadataUrl: `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`, issuer }
        : { jwksUri: readUrl(options.jwksUri, "jwksUri") },
    audiences: readTokens(options, "oidc", "audience", 1),
    toleranceMs: readTolerance(options.tolerance ?? "1m", "oidc"),
    checkClaims(claims) {
      if (subjects && !subjects.includes(String(claims["sub"] ?? "")))
        return fault("mismatch", "The ID token belongs to another account: its claim sub is not in subject (oidc).");
      return emails && checkEmail(claims, emails, "oidc", "email");
    },
    options: [emails, subjects],
  });
}

function readUrl(value: unknown, option: string): string {
  if (isKeyUrl(value)) return value;
  throw new TypeError(
    `oidc: ${option} must be a URL that begins with https://, but is ${JSON.stringify(value)}. Write issuer: "https://accounts.google.com".`,
  );
}
