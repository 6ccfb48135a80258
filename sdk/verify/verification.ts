import { createHash, timingSafeEqual } from "node:crypto";
import {
  type SignatureFault,
  type SignedEvent,
  type SignedRequest,
  type VerificationDefinition,
  definitionKind,
} from "../definition.ts";
import { parseDuration } from "../duration.ts";
import type { SecretKeys } from "./secrets.ts";
import { sayDistance } from "./say-distance.ts";
import type { HashName, SigningKey } from "./signing-key.ts";

/** Checks that a request was signed by somebody who knows the secret: what goes into `verify` of a source. */
export interface Verification extends VerificationDefinition {}

/** How one sender signs. */
export interface Scheme {
  name: string;
  hash: HashName;
  /** The header with the signature, by what the request has. */
  signatureHeader(request: SignedRequest): string;
  /** How its value looks, for people: `sha256=` and 64 hexadecimal digits. */
  form: string;
  /** Every signature that the header bears, `null` for what cannot be read as one; nothing else: it is malformed. */
  readSignatures(header: string): readonly (Uint8Array | null)[];
  /** What is signed, part by part; a fault where a part is missing or malformed. `signature` is the header's value. */
  signed(request: SignedRequest, signature: string): readonly (string | Uint8Array)[] | SignatureFault;
  /** When it was signed; looked at only once the signature holds. Left out where the scheme has no time. */
  time?: { place: string; toleranceMs: number; read(request: SignedRequest, signature: string): number | null };
  /** The headers that are signed and may identify an event. */
  signedHeaders?: readonly string[];
  /** The value of one of `signedHeaders`. Default: of the header of that name. */
  readSignedHeader?(request: SignedRequest, name: string): string | null;
  /** The signed content without what changes when the sender repeats the event. Default: all of it. */
  eventContent?(request: SignedRequest): readonly (string | Uint8Array)[];
  /** What the sender wants to hear of this body before it sends anything else; `null`: it is an ordinary one. */
  answer?: (body: unknown) => unknown;
  /** Tells this scheme from others of its name. */
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
      `The header ${name} is missing: only requests signed as ${scheme.name} does are taken here.`,
    );
  if (problem)
    return fault(
      "no_secret",
      `The signature cannot be checked (${scheme.name}): its secret ${problem.words}. Set it where the service runs, and start it again.`,
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
      `The signature in ${name} does not match the request (${scheme.name}): the sender has another secret, or something on the way changed the request.`,
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
    // Of the content, not of the signature: one signature can be written in several ways, and two secrets make two of the same content.
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

/** Looks at every signature, whichever holds: the time it takes tells nothing. */
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
  if (signedAt === null) return fault("malformed", `${time.place} has no time that can be read (${name}).`);
  const aheadMs = signedAt - request.receivedAtMs;
  if (Math.abs(aheadMs) <= time.toleranceMs) return null;
  const distance =
    aheadMs > 0 ? `${sayDistance(aheadMs)} ahead of this service's clock` : `${sayDistance(-aheadMs)} old`;
  return fault(
    "expired",
    `The signature is genuine (${name}), but its time, ${time.place}, is ${distance}; at most ${sayDistance(time.toleranceMs)} are allowed either way.`,
  );
}

const defaultToleranceMs = 5 * 60_000;
const maxToleranceMs = 24 * 3_600_000;

/** Milliseconds that a signature may be off, in either direction. Throws a TypeError. */
export function readTolerance(tolerance: unknown, scheme: string): number {
  if (tolerance === undefined) return defaultToleranceMs;
  const read = parseDuration(tolerance);
  if (read !== null && read >= 1000 && read <= maxToleranceMs) return read;
  throw new TypeError(
    `${scheme}: tolerance must be a duration from "1s" to "24h", and is ${JSON.stringify(tolerance)}. Write tolerance: "5m", or leave it out.`,
  );
}

/** Seconds since 1970, as digits; `null` for anything else. */
export function readSeconds(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : null;
}

/**
 * The same for verifications that let the same requests pass. Made of the secrets: to be compared, never to be kept or
 * shown.
 */
function fingerprint({ name, options }: Scheme, { keys, problem }: SecretKeys): string {
  const secrets = keys.map((key) => key.fingerprint()).sort();
  return createHash("sha256")
    .update(JSON.stringify([name, options ?? null, secrets, problem]))
    .digest("hex");
}
