import { checkNames, checkOptions } from "../../check-shape.ts";
import type { Duration } from "../../duration.ts";
import { readJsonObject } from "../body.ts";
import { readTokens, type Secret } from "../secrets.ts";
import { fault, readTolerance, type Verification } from "../verification.ts";
import { createIdTokenVerification } from "../id-token.ts";

const issuer = "https://api.botframework.com";

/**
 * Verifies activities of Microsoft Teams and other channels of the Bot Framework: the header `authorization` has a
 * token of the Bot Connector for this app. Its claim `serviceurl` is `serviceUrl` of the activity, and its key is
 * endorsed for the channel. The token does not sign the body. Send the webhook key in the URL. Throws a TypeError if an
 * option is invalid.
 * https://learn.microsoft.com/azure/bot-service/rest-api/bot-framework-rest-connector-authentication
 *
 * @example
 *   import { botFramework } from "signalbox/verify";
 *
 *   verify: botFramework({ appId: process.env.MICROSOFT_APP_ID });
 */
export function botFramework(options: {
  /** The Microsoft App ID of the bot: the audience of the tokens. A list allows several. */
  appId: Secret;
  /** Maximum clock difference. `"1s"` to `"24h"`. Default: `"5m"`. */
  tolerance?: Duration;
}): Verification {
  checkOptions(options, "botFramework", "botFramework({ appId: process.env.MICROSOFT_APP_ID })");
  checkNames(options, "botFramework", ["appId", "tolerance"]);
  return createIdTokenVerification({
    name: "botFramework",
    header: "authorization",
    issuer,
    keys: { metadataUrl: "https://login.botframework.com/v1/.well-known/openidconfiguration", issuer },
    audiences: readTokens(options, "botFramework", "appId", 1),
    toleranceMs: readTolerance(options.tolerance ?? "5m", "botFramework"),
    checkClaims(claims, key, { body }) {
      const { serviceUrl, channelId } = readJsonObject(body);
      if (typeof serviceUrl !== "string" || claims["serviceurl"] !== serviceUrl)
        return fault("mismatch", "The token belongs to another serviceUrl than the activity (botFramework).");
      const { endorsements } = key;
      if (Array.isArray(endorsements) && !endorsements.includes(channelId))
        return fault("mismatch", "The key of the token is not endorsed for the activity's channelId (botFramework).");
      return null;
    },
    options: null,
  });
}
