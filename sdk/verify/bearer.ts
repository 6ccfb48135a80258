/** JWTs in a header. */

import type { SignatureFault } from "../definition.ts";
import { fault, missingSignature } from "./verification.ts";

export const maxToken = 8192;

/**
 * The JWTs of the scheme Bearer in a header, which can have other credentials, such as a webhook key. `isBare`: the
 * header can also have the JWT alone.
 */
export function findTokens(header: string, { isBare = false } = {}): string[] {
  const pattern = isBare
    ? /^\s*(?:bearer\s+)?([\w-]+\.[\w-]+\.[\w-]*)\s*$/i
    : /^\s*bearer\s+([\w-]+\.[\w-]+\.[\w-]*)\s*$/i;
  return header.split(",").flatMap((part) => pattern.exec(part)?.[1] ?? []);
}

/** A header without a JWT: it is missing, or it has something else. The fault does not repeat the value. */
export function missingToken(
  scheme: string,
  { token, header, value }: { token: string; header: string; value: string },
): SignatureFault {
  if (value.trim() === "") return missingSignature(scheme, `${token} in ${header}`);
  const article = token.startsWith("ID") ? "an" : "a";
  return fault(
    "unsigned",
    `The value of ${header} is not ${article} ${token}. This endpoint accepts only signed requests (${scheme}).`,
  );
}
