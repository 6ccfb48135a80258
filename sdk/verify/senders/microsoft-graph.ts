import { checkNames } from "../../check-shape.ts";
import { isRecord, readJsonObject } from "../body.ts";
import { readTokens, type Secret, textKey } from "../secrets.ts";
import { createVerification, fault, type Verification } from "../verification.ts";

const maxToken = 4096;

/**
 * Verifies change notifications of Microsoft Graph: each notification contains the `clientState` of its subscription,
 * and nothing is signed. The JWTs in `validationTokens` of notifications with resource data are not checked. Signalbox
 * answers the validation request (`validationToken`) of a new subscription. The body, which contains `clientState`, is
 * stored as received. Throws a TypeError if `secret` is not a string or a list of strings.
 * https://learn.microsoft.com/graph/change-notifications-delivery-webhooks
 *
 * @example
 *   import { microsoftGraph } from "signalbox/verify";
 *
 *   verify: microsoftGraph({ secret: process.env.GRAPH_CLIENT_STATE });
 */
export function microsoftGraph(options: {
  /** The `clientState` of the subscription: 16 to 128 bytes; a list during a rotation. */
  secret: Secret;
}): Verification {
  const tokens = readTokens(options, "microsoftGraph");
  checkNames(options, "microsoftGraph", ["secret"]);
  return createVerification(
    {
      name: "microsoftGraph",
      bodies: ["json"],
      signatureField: { name: "clientState of the body", read: ({ body }) => readClientState(body) },
      form: "the same text in every notification",
      proof: "token",
      readSignatures: (text) => [text === "" ? null : textKey(text)],
      signed: () => [],
      signedHeaders: null,
      greet({ method, target }) {
        if (method !== "POST" || !target.includes("validationToken")) return null;
        const token = new URLSearchParams(target.split("?", 2)[1]).get("validationToken");
        if (token === null) return null;
        return token === "" || token.length > maxToken
          ? fault("malformed", `validationToken must have 1 to ${maxToken} characters (microsoftGraph).`)
          : { status: 200, contentType: "text/plain", body: token };
      },
    },
    tokens,
  );
}

/** `null` if one of the notifications has none; an empty text if they differ. */
function readClientState(body: Uint8Array): string | null {
  const { value } = readJsonObject(body);
  const notifications: readonly unknown[] = Array.isArray(value) ? value : [];
  const states = notifications.map((one) => (isRecord(one) ? one["clientState"] : null));
  const [first] = states;
  if (typeof first !== "string" || states.some((state) => typeof state !== "string")) return null;
  return states.every((state) => state === first) ? first : "";
}
