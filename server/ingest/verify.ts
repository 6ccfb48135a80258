import type { SignatureFault, SignedEvent, SignedRequest, VerificationDefinition } from "../../sdk/definition.ts";
import { checkSignature, signatureError } from "../domain/requests/check-signature.ts";
import { readMultipartTexts } from "../domain/requests/multipart.ts";
import { publicUrlOf } from "../domain/requests/public-url.ts";
import type { SentFrom } from "./accept.ts";
import type { IngestRequest, Rejected, RequestHead } from "./ingest-request.ts";

/** The parts of a request that a check reads. The URL is determined when it is read. */
export function signedRequestOf(
  request: IngestRequest,
  { headers, receivedAt, method }: Pick<RequestHead, "headers" | "receivedAt" | "method">,
  { body, baseUrl }: { body: Uint8Array; baseUrl: string | null },
): SignedRequest {
  return {
    body,
    receivedAtMs: receivedAt,
    method,
    get url() {
      const isFromProxy = () => request.isFromProxy?.() ?? false;
      return publicUrlOf({ baseUrl, target: request.target, headers, isFromProxy });
    },
    header: (name) => headers.get(name) ?? null,
    headers: () => headers,
    multipart: () => readMultipartTexts(body, headers.get("content-type") ?? null),
  };
}

export type Verified =
  /** `signed`: `null` if the scheme signs nothing. */
  | { kind: "verified"; signed: SignedEvent | null }
  | { kind: "unsigned"; signed: null }
  /** A person's session authenticated the delivery instead. */
  | { kind: "skipped"; signed: null }
  | Rejected;

const unsigned: Verified = { kind: "unsigned", signed: null };
const skipped: Verified = { kind: "skipped", signed: null };

/**
 * Checks the signature over the bytes as received. In development, requests without a signature are accepted, as they
 * are without a key; requests with an invalid signature are not. Rejected with AppError `invalid_signature`, or
 * `verification_failed` if the check itself failed. A promise only if the check may take time.
 */
export function verifyRequest(
  verification: VerificationDefinition | null | undefined,
  request: SignedRequest | null,
  p: { sentFrom: SentFrom; mayBeUnsigned: boolean; maxMs?: number | undefined },
): Verified | Promise<Verified> {
  if (!verification || !request) return unsigned;
  if (p.sentFrom === "form") return skipped;
  const toVerified = (fault: SignatureFault | null): Verified => {
    if (fault === null) return { kind: "verified", signed: verification.readSigned(request) };
    if (fault.kind === "unsigned" && p.mayBeUnsigned) return unsigned;
    return { kind: "rejected", error: signatureError(fault) };
  };
  const checked = checkSignature(verification, request, p.maxMs);
  return checked instanceof Promise ? checked.then(toVerified) : toVerified(checked);
}
