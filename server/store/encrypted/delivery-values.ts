import type { Delivery, DeliverySummary, Reason, VerdictList } from "../../contract/delivery.ts";
import type { Json } from "../../contract/json.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { Problem, ProblemError } from "../../contract/problem.ts";
import { type KeyRing, type RowCipher, sealedBy } from "../../domain/encryption/key-ring.ts";
import type { NewDelivery } from "../../ports/store/delivery-store.ts";
import { readBodyJson } from "../shared/delivery-shapes.ts";

/**
 * The parts of a delivery that a sender wrote, or that repeat it: headers, body, the detail of its problem, and the
 * reasons of its verdicts. The store reads the others.
 */

export function sealDelivery(ring: KeyRing, delivery: NewDelivery): NewDelivery {
  const cipher = ring.ofRow(delivery.id);
  const { headers, body, bodySha256, problem } = delivery;
  return {
    ...delivery,
    ...sealVerdicts(ring, delivery.id, delivery),
    headers: sealHeaders(ring, cipher, headers),
    body: body && cipher.sealBytes(body),
    bodySha256: ring.isOn && bodySha256 !== null ? ring.sealHash(bodySha256) : bodySha256,
    problem: ring.isOn && problem ? sealProblem(cipher, problem) : problem,
  };
}

export function openSummary<Summary extends DeliverySummary>(ring: KeyRing, stored: Summary): Summary {
  const cipher = ring.ofRow(stored.id);
  const { bodySha256, problem, verdicts, unlistedVerdicts } = stored;
  const keyId = sealedBy(stored.headers[ownHeaders.encrypted] ?? "");
  return {
    ...stored,
    headers: openHeaders(cipher, stored.headers),
    bodySha256: keyId !== null && bodySha256 !== null ? ring.openHash(bodySha256, keyId) : bodySha256,
    problem: problem && openProblem(cipher, problem),
    verdicts: verdicts.map((verdict) => ({ ...verdict, reasons: openReasons(cipher, verdict.reasons) })),
    unlistedVerdicts: unlistedVerdicts.map((one) => ({
      ...one,
      pointer: one.pointer === null ? null : cipher.openText(one.pointer),
      actual: one.actual === null ? null : cipher.openText(one.actual),
    })),
  };
}

export function openDelivery(ring: KeyRing, stored: Delivery): Delivery {
  const summary = openSummary(ring, stored);
  if (stored.body === null) return summary;
  const bytes = ring.ofRow(stored.id).openBytes(Buffer.from(stored.body, "base64"));
  return { ...summary, body: Buffer.from(bytes).toString("base64"), json: readBodyJson(bytes) };
}

export function openHeaders(cipher: RowCipher, stored: Readonly<Record<string, string>>): Record<string, string> {
  const { [ownHeaders.encrypted]: sealed, ...others } = stored;
  // A release adds a header.
  return sealed === undefined ? others : { ...readHeaders(cipher.openJson(sealed)), ...others };
}

function readHeaders(value: Json): Record<string, string> {
  // The store wrote this JSON.
  return value as Record<string, string>;
}

function sealHeaders(ring: KeyRing, cipher: RowCipher, headers: Record<string, string>): Record<string, string> {
  return ring.isOn ? { [ownHeaders.encrypted]: String(cipher.sealJson(headers)) } : headers;
}

/** The store reads the outcomes and the names of verdicts, not their reasons. */
export function sealVerdicts(ring: KeyRing, id: string, { verdicts, unlistedVerdicts }: VerdictList): VerdictList {
  if (!ring.isOn) return { verdicts, unlistedVerdicts };
  const cipher = ring.ofRow(id);
  return {
    verdicts: verdicts.map((verdict) => ({ ...verdict, reasons: sealReasons(cipher, verdict.reasons) })),
    unlistedVerdicts: unlistedVerdicts.map((one) => ({
      ...one,
      pointer: one.pointer === null ? null : cipher.sealText(one.pointer),
      actual: one.actual === null ? null : cipher.sealText(one.actual),
    })),
  };
}

/** All reasons of a verdict are in the message of one. */
function sealReasons(cipher: RowCipher, reasons: Reason[]): Reason[] {
  if (reasons.length === 0) return reasons;
  const message = String(cipher.sealJson(reasons));
  return [{ pointer: "", code: "encrypted", message, expected: null, actual: null }];
}

function openReasons(cipher: RowCipher, stored: Reason[]): Reason[] {
  const [first] = stored;
  // The store wrote this JSON.
  return first && sealedBy(first.message) !== null ? (cipher.openJson(first.message) as unknown as Reason[]) : stored;
}

interface ProblemText {
  detail: string;
  errors?: ProblemError[];
}

function sealProblem(cipher: RowCipher, { detail, errors, ...problem }: Problem): Problem {
  return { ...problem, detail: String(cipher.sealJson({ detail, ...(errors && { errors }) })) };
}

function openProblem(cipher: RowCipher, stored: Problem): Problem {
  if (sealedBy(stored.detail) === null) return stored;
  // The store wrote this JSON.
  return { ...stored, ...(cipher.openJson(stored.detail) as unknown as ProblemText) };
}
