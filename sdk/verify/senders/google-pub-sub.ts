import { checkNames, checkOptions } from "../../check-shape.ts";
import type { Duration } from "../../duration.ts";
import { readTokens, type Secret } from "../secrets.ts";
import { readTolerance, type Verification } from "../verification.ts";
import { checkEmail, createIdTokenVerification, readList } from "../id-token.ts";

const issuer = "https://accounts.google.com";

/**
 * Verifies push requests of Google Pub/Sub: the header `authorization` has an ID token of Google for this audience and
 * service account. The token does not sign the body. Send the webhook key in the URL. Throws a TypeError if an option
 * is invalid. https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions
 *
 * @example
 *   import { googlePubSub } from "signalbox/verify";
 *
 *   verify: googlePubSub({
 *     audience: process.env.PUBSUB_AUDIENCE,
 *     serviceAccount: "push@my-project.iam.gserviceaccount.com",
 *   });
 */
export function googlePubSub(options: {
  /** The audience of the push subscription. Without one in its settings, Google uses the URL, with the webhook key. */
  audience: Secret;
  /**
   * The service account of the push subscription, or a list. It is required: every account of Google can get a token
   * for any audience.
   */
  serviceAccount: string | readonly string[];
  /** Maximum clock difference. `"1s"` to `"24h"`. Default: `"1m"`. */
  tolerance?: Duration;
}): Verification {
  checkOptions(options, "googlePubSub", "googlePubSub({ audience, serviceAccount })");
  checkNames(options, "googlePubSub", ["audience", "serviceAccount", "tolerance"]);
  const message =
    'googlePubSub: serviceAccount must be an email address, or a list of them. Write serviceAccount: "push@my-project.iam.gserviceaccount.com".';
  const emails = readList(options.serviceAccount, message);
  if (!emails?.every((email) => email.includes("@"))) throw new TypeError(message);
  return createIdTokenVerification({
    name: "googlePubSub",
    header: "authorization",
    issuer,
    keys: { metadataUrl: `${issuer}/.well-known/openid-configuration`, issuer },
    audiences: readTokens(options, "googlePubSub", "audience", 1),
    toleranceMs: readTolerance(options.tolerance ?? "1m", "googlePubSub"),
    checkClaims: (claims) => checkEmail(claims, emails, "googlePubSub", "serviceAccount"),
    options: emails,
  });
}
