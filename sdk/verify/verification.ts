import { createHash, timingSafeEqual } from "node:crypto";
import {
  definitionKind,
  type SignatureFault,
  type SignedEvent,
  type SignedRequest,
  type VerificationDefinition,
} from "../definition.ts";
import { parseDuration } from "../duration.ts";
import type { HashName, SecretKeys, SigningKey } from "./secrets.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Checks that a request was signed with the secret. Set it as `verify` of a source. */
export interface Verification extends VerificationDefinition {}

/** How one sender signs. */
export interface Scheme {
  name: string;
  hash: HashName;
  /** The name of the header with the signature. It can depend on the request. */
  signatureHeader(request: SignedRequest): string;
  /** The expected form of the header's value, for messages: `sha256=` and 64 hexadecimal digits. */
  form: string;
  /** Every signature in the header; `null` for one that cannot be decoded. Without a valid entry, it is malformed. */
  readSignatures(header: string): readonly (Uint8Array | null)[];
  /** The signed content, part by part; a fault if a part is missing or malformed. `signature` is the header's value. */
  signed(request: SignedRequest, signature: string): readonly (string | Uint8Array)[] | SignatureFault;
  /** The time of signing, checked only after the signature is valid. Omitted if the scheme signs no time. */
  time?: { source: string; toleranceMs: number; read(request: SignedRequest, signature: string): number | null };
  /** The headers that are signed and may identify an event. */
  signedHeaders?: readonly string[];
  /** The value of one of `signedHeaders`. Default: the header of that name. */
  readSignedHeader?(request: SignedRequest, name: string): string | null;
  /** The signed content without the parts that differ between retries of one event. Default: all of it. */
  eventContent?(request: SignedRequest): readonly (string | Uint8Array)[];
  /** The response to the sender's challenge; `null` if the body is no challenge. */
  answer?: (body: unknown) => unknown;
  /** Distinguishes this scheme from others with the same name. */
  options?: unknown;
}

export function createVerification(scheme: Scheme, secrets: SecretKeys): Verification {
  return Object.freeze<Verification>({
    [definitionKind]: "verification",
    scheme: scheme.name,
    secretProblem: secrets.problem,
    check: (request) => check(scheme, secrets, request),
    signedHeaders: scheme.signedHeaders ?? [],
    readSigned: (request) => readSigned(scheme, request),
    answer: (body) => scheme.answer?.(body) ?? null,
    fingerprint: () => fingerprint(scheme, secrets),
  });
}

export function fault(kind: SignatureFault["kind"], detail: string): SignatureFault {
  return { kind, detail };
}

function check(scheme: Scheme, { keys, problem }: SecretKeys, request: SignedRequest): SignatureFault | null {
  const name = scheme.signatureHeader(request);
  const header = request.header(name);
  if (header === null)
    return fault(
      "unsigned",
      `The header ${name} is missing. This endpoint accepts only signed requests (${scheme.name}).`,
    );
  if (problem)
    return fault(
      "no_secret",
      `The signature cannot be checked (${scheme.name}): its secret ${problem.words}. Set the secret in the server's environment and restart the server.`,
    );
  const signatures = scheme.readSignatures(header).filter((signature) => signature !== null);
  if (signatures.length === 0)
    return fault("malformed", `The header ${name} is malformed (${scheme.name}): expected ${scheme.form}.`);
  const signed = scheme.signed(request, header);
  if ("kind" in signed) return signed;
  const isGenuine = keys.map((key) => isSignedWith(scheme.hash, key, signed, signatures)).includes(true);
  if (!isGenuine) {
    return fault(
      "mismatch",
      `The signature in ${name} does not match the request (${scheme.name}). The sender uses a different secret, or a proxy changed the request.`,
    );
  }
  return checkTime(scheme, request, header);
}

function readSigned(scheme: Scheme, request: SignedRequest): SignedEvent {
  return {
    header(name) {
      if (!scheme.signedHeaders?.includes(name)) return null;
      return scheme.readSignedHeader ? scheme.readSignedHeader(request, name) : request.header(name);
    },
    // Hashes the content, not the signature: one signature has several notations, and two secrets sign the same content differently.
    contentHash() {
      const content =
        scheme.eventContent?.(request) ?? scheme.signed(request, request.header(scheme.signatureHeader(request)) ?? "");
      const hash = createHash("sha256").update(`${scheme.name}\n`);
      if (!("kind" in content)) for (const part of content) hash.update(part);
      return hash.digest("hex");
    },
    validMs: scheme.time ? 2 * scheme.time.toleranceMs : null,
  };
}

/** Compares every signature, even after a match, so that the duration reveals nothing. */
function isSignedWith(
  hash: HashName,
  key: SigningKey,
  signed: readonly (string | Uint8Array)[],
  signatures: readonly Uint8Array[],
): boolean {
  const expected = key.sign(hash, signed);
  return signatures
    .map((signature) => signature.length === expected.length && timingSafeEqual(signature, expected))
    .includes(true);
}

function checkTime({ name, time }: Scheme, request: SignedRequest, header: string): SignatureFault | null {
  if (!time) return null;
  const signedAt = time.read(request, header);
  if (signedAt === null) return fault("malformed", `${time.source} has no valid time (${name}).`);
  const aheadMs = signedAt - request.receivedAtMs;
  if (Math.abs(aheadMs) <= time.toleranceMs) return null;
  const distance = aheadMs > 0 ? `${sayDistance(aheadMs)} ahead of the server's clock` : `${sayDistance(-aheadMs)} old`;
  return fault(
    "expired",
    `The signature is valid (${name}), but its time (${time.source}) is ${distance}. The tolerance is ${sayDistance(time.toleranceMs)}.`,
  );
}

const defaultToleranceMs = 5 * 60_000;
const maxToleranceMs = 24 * 3_600_000;

/** Maximum clock difference of a signature in milliseconds, in either direction. Throws a TypeError if it is invalid. */
export function readTolerance(tolerance: unknown, scheme: string): number {
  if (tolerance === undefined) return defaultToleranceMs;
  const read = parseDuration(tolerance);
  if (read !== null && read >= 1000 && read <= maxToleranceMs) return read;
  throw new TypeError(
    `${scheme}: tolerance must be a duration from "1s" to "24h", but is ${JSON.stringify(tolerance)}. Write tolerance: "5m", or leave it out.`,
  );
}

/** Parses a Unix time in seconds and returns milliseconds; `null` for any other text. */
export function readSeconds(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : null;
}

/**
 * Equal for verifications that accept the same requests. It is derived from the secrets: compare it, but never store or
 * show it.
 */
function fingerprint({ name, options }: Scheme, { keys, problem }: SecretKeys): string {
  const secrets = keys.map((key) => key.fingerprint()).sort();
  return createHash("sha256")
    .update(JSON.stringify([name, options ?? null, secrets, problem]))
    .digest("hex");
}

/** Formats a duration in its two largest units: `12 minutes 5 seconds`. */
function sayDistance(ms: number): string {
  let rest = Math.ceil(ms / 1000) * 1000;
  const words: string[] = [];
  for (const [unit, unitMs] of units) {
    const amount = Math.floor(rest / unitMs);
    rest -= amount * unitMs;
    if (amount > 0 && words.length < 2) words.push(`${amount} ${unit}${amount === 1 ? "" : "s"}`);
  }
  return words.join(" ");
}
