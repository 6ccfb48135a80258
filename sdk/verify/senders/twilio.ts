import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { checkNames } from "../../check-shape.ts";
import type { SignatureFault, SignedRequest } from "../../definition.ts";
import { mediaTypeOf, readFormPairs } from "../body.ts";
import { explainUrl, readUrlOption, unknownUrl, urlOf } from "../public-url.ts";
import { fromBase64, readSecrets, type Secret, textKey } from "../secrets.ts";
import { createVerification, fault, type Verification, writeBase64 } from "../verification.ts";

/**
 * Verifies Twilio webhooks: the header `x-twilio-signature` signs the URL and the fields of the form, or the URL with
 * the hash of the body (`bodySHA256`). `url` is the URL in Twilio's settings, with its key. Default: the public URL of
 * the request. The signature contains no time, so retries are recognised by the URL and the fields. Without `body`, the
 * source accepts forms and JSON. Throws a TypeError if an option is invalid.
 * https://www.twilio.com/docs/usage/webhooks/webhooks-security
 *
 * @example
 *   import { twilio } from "signalbox/verify";
 *
 *   verify: twilio({ secret: process.env.TWILIO_AUTH_TOKEN });
 */
export function twilio(options: {
  /** The auth token of the account; a list during a rotation. */
  secret: Secret;
  url?: string | undefined;
}): Verification {
  const secrets = readSecrets(options, { scheme: "twilio", decode: textKey, hash: "sha1" });
  checkNames(options, "twilio", ["secret", "url"]);
  const url = readUrlOption(options.url, "twilio");
  return createVerification(
    {
      name: "twilio",
      signatureHeader: () => "x-twilio-signature",
      form: "20 bytes in base64",
      readSignatures: (header) => [fromBase64(header, 20)],
      signed(request) {
        const used = signedUrlOf(request, url);
        if (used === null) return unknownUrl("twilio");
        const fields = readFields(request, used);
        return fields instanceof Uint8Array ? [used, fields] : fields;
      },
      seal: { write: writeBase64 },
      alternatives(request) {
        const used = signedUrlOf(request, url);
        const fields = used === null ? null : readFields(request, used);
        return used !== null && fields instanceof Uint8Array
          ? otherNotations(used, request).map((notation) => [notation, fields])
          : [];
      },
      readsUrl: true,
      bodies: ["form", "json"],
      explainMismatch: (request) => explainUrl(signedUrlOf(request, url)),
      options: { url },
    },
    secrets,
  );
}

const bodyHash = /[?&]bodySHA256=([0-9a-f]{64})(?=&|$)/i;

/** Twilio appends `bodySHA256` to the URL in its settings. */
function signedUrlOf(request: SignedRequest, option: string | null): string | null {
  if (option === null) return urlOf(request, null);
  const appended = bodyHash.exec(request.url ?? "")?.[1];
  return appended === undefined ? option : `${option}${option.includes("?") ? "&" : "?"}bodySHA256=${appended}`;
}

/** The signed part of the body: every name and value of a form, in the order of the names. */
function readFields(request: SignedRequest, url: string): Uint8Array | SignatureFault {
  const expected = bodyHash.exec(url)?.[1];
  if (expected !== undefined) {
    const actual = createHash("sha256").update(request.body).digest("hex");
    return actual === expected.toLowerCase()
      ? new Uint8Array()
      : fault("mismatch", "The body does not match bodySHA256 in the URL (twilio). A proxy changed the request.");
  }
  if (request.body.length > 0 && mediaTypeOf(request) !== "application/x-www-form-urlencoded")
    return fault("malformed", "The body is not signed (twilio): it is no form, and the URL has no bodySHA256.");
  const valuesByName = new Map<string, Set<string>>();
  for (const [name, value] of readFormPairs(request.body)) {
    const values = valuesByName.get(name) ?? new Set();
    valuesByName.set(name, values.add(value));
  }
  const text = [...valuesByName.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => [...values].sort().map((value) => name + value))
    .join("");
  return Buffer.from(text, "latin1");
}

/** Twilio is inconsistent about the port and about credentials in the URL. */
function otherNotations(url: string, { header }: SignedRequest): string[] {
  const [, scheme = "", sent = "", rest = ""] = /^(https?):\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  const portAt = sent.lastIndexOf(":");
  const port = portAt >= 0 && /^:\d+$/.test(sent.slice(portAt)) ? sent.slice(portAt) : undefined;
  const host = port === undefined ? sent : sent.slice(0, portAt);
  const [, encoded] = /^basic +([a-z0-9+/=]+)$/i.exec(header("authorization") ?? "") ?? [];
  const credentials = encoded === undefined ? null : Buffer.from(encoded, "base64").toString();
  const withPort = port ?? (scheme === "https" ? ":443" : ":80");
  const notations = [`${host}${port === undefined ? withPort : ""}`, `${host}${port ?? ""}`].flatMap((authority) => [
    `${scheme}://${authority}${rest}`,
    ...(credentials === null ? [] : [`${scheme}://${credentials}@${authority}${rest}`]),
  ]);
  return notations.filter((notation) => notation !== url);
}
