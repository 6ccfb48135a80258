import { createHash } from "node:crypto";
import { checkText } from "../check-shape.ts";
import {
  definitionKind,
  type SecretProblem,
  type SenderAnswer,
  type SignatureFault,
  type SignedEvent,
  type SignedRequest,
  type VerificationDefinition,
} from "../definition.ts";
import { parseDuration } from "../duration.ts";
import type { BodyOptions, ReplyOptions } from "../endpoint-settings.ts";
import type { HmacKey, Key, Keys, TokenKey } from "./secrets.ts";

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
  ["second", 1000],
] as const;

/** Checks that a request was signed with the secret. Set it as `verify` of a source. */
export interface Verification extends VerificationDefinition {}

/** The signed content, part by part. */
export type Content = readonly (string | Uint8Array)[];

/** How one sender signs. */
export interface Scheme<K extends Key = HmacKey> {
  name: string;
  /** The name of the header with the signature. It can depend on the request. Default: the signature is in the body. */
  signatureHeader?(request: SignedRequest): string;
  /** The field of the body with the signature, if there is no header. */
  signatureField?: { name: string; read(request: SignedRequest): string | null };
  /** The expected form of the signature, for messages: `sha256=` and 64 hexadecimal digits. */
  form: string;
  /**
   * Every signature in the text, or in other headers of the request; `null` for one that cannot be decoded. Without a
   * valid entry, it is malformed. Only the first `maxSignatures` are checked.
   */
  readSignatures(text: string, request: SignedRequest): readonly (Uint8Array | null)[];
  /** The signed content; a fault if a part is missing or malformed. `signature` is the text with the signature. */
  signed(request: SignedRequest, signature: string): Content | SignatureFault;
  /** Other contents that the sender may have signed instead, such as the URL in another notation. */
  alternatives?(request: SignedRequest): readonly Content[];
  /** The time of signing, checked only after the signature is valid. Omitted if the scheme signs no time. */
  time?: { source: string; toleranceMs: number; read(request: SignedRequest, signature: string): number | null };
  /** The headers that are signed and may identify an event. `null`: the scheme signs nothing. */
  signedHeaders?: readonly string[] | null;
  /** The headers that the options name as those with the signature. Default: none. */
  proofHeaders?: readonly string[];
  /** The value of one of `signedHeaders`. Default: the header of that name. */
  readSignedHeader?(request: SignedRequest, name: string): string | null;
  /** The signed content without the parts that differ between retries of one event. Default: all of it. */
  eventContent?(request: SignedRequest): Content;
  /** Default: `true`. */
  coversBody?: boolean;
  /** Default: `false`. */
  readsUrl?: boolean;
  /** Why a signature may not match. Default: the sender uses another secret, or a proxy changed the request. */
  explainMismatch?(request: SignedRequest): string;
  /** `token`: the request contains the secret itself. Default: `signature`. */
  proof?: "signature" | "token";
  /** The response to the sender's challenge; `null` if the body is no challenge. */
  answer?(body: unknown, request: SignedRequest, key: K): SenderAnswer | null;
  greet?: VerificationDefinition["greet"];
  jsonTypes?: readonly string[];
  /** Default: unknown. */
  bodies?: readonly BodyOptions[];
  /** The responses that the sender insists on. Default: none. */
  reply?: ReplyOptions;
  /** How the sender writes a signature. Absent: only the sender can sign, or the signature is in the body. */
  seal?: {
    /** The headers that the signature covers, such as the time. */
    headers?: (request: SignedRequest) => Record<string, string>;
    /** The header with the signature. */
    write: (signature: Uint8Array, request: SignedRequest) => string;
  };
  /** Distinguishes this scheme from others with the same name. */
  options?: unknown;
}

export function createVerification<K extends Key>(scheme: Scheme<K>, keys: Keys<K>): Verification {
  const { name, answer, coversBody = true, signedHeaders = [] } = scheme;
  return defineVerification({
    scheme: name,
    secretProblem: keys.problem,
    check: (request) => check(scheme, keys, request),
    readsUrl: scheme.readsUrl ?? false,
    signedHeaders,
    proofHeaders: scheme.proofHeaders ?? [],
    coversBody,
    readSigned: (request) => (signedHeaders === null ? null : readSigned(scheme, request)),
    answer(body, request) {
      const key = answer && keyOf(scheme, keys, request);
      return key ? answer(body, request, key) : null;
    },
    sign: (request) => sign(scheme, keys, request),
    ...(scheme.greet && { greet: scheme.greet }),
    ...(scheme.jsonTypes && { jsonTypes: scheme.jsonTypes }),
    ...(scheme.bodies && { bodies: scheme.bodies }),
    ...(scheme.reply && { reply: scheme.reply }),
    fingerprint: () => fingerprintOf([name, scheme.options ?? null], keys),
  });
}

type VerificationParts = Omit<Verification, typeof definitionKind>;
type DefaultedParts =
  | "isTimed"
  | "readsUrl"
  | "proofHeaders"
  | "coversBody"
  | "answer"
  | "greet"
  | "sign"
  | "jsonTypes"
  | "bodies"
  | "reply";

/**
 * Completes a verification. It has no time limit, reads no URL, names no headers, answers no challenges and cannot
 * sign. Any response will do, and the format of its bodies is unknown.
 */
export function defineVerification(
  parts: Omit<VerificationParts, DefaultedParts> & Partial<Pick<VerificationParts, DefaultedParts>>,
): Verification {
  return Object.freeze<Verification>({
    [definitionKind]: "verification",
    isTimed: false,
    readsUrl: false,
    proofHeaders: [],
    coversBody: true,
    answer: () => null,
    greet: () => null,
    sign: () => null,
    jsonTypes: [],
    bodies: null,
    reply: null,
    ...parts,
  });
}

export function fault(kind: SignatureFault["kind"], detail: string): SignatureFault {
  return { kind, detail };
}

export function jsonAnswer(body: object): SenderAnswer {
  return { status: 200, contentType: "application/json", body: JSON.stringify(body) };
}

/** Sent without a secret, or to a server without one. */
export function missingSignature(scheme: string, source: string): SignatureFault {
  return fault("unsigned", `The ${source} is missing. This endpoint accepts only signed requests (${scheme}).`);
}

export function missingSecret(scheme: string, { words, subject = "secret", fix }: SecretProblem): SignatureFault {
  return fault(
    "no_secret",
    `The signature cannot be checked (${scheme}): its ${subject} ${words}. ${fix ?? `Set the ${subject}`} in the server's environment and restart the server.`,
  );
}

/** The text with the signature, and its source in the request. */
function findSignature<K extends Key>(
  { signatureHeader, signatureField }: Scheme<K>,
  request: SignedRequest,
): { kind: "header" | "field"; name: string; text: string | null } {
  if (!signatureHeader)
    return { kind: "field", name: signatureField?.name ?? "", text: signatureField?.read(request) ?? null };
  const name = signatureHeader(request);
  return { kind: "header", name, text: request.header(name) };
}

function check<K extends Key>(
  scheme: Scheme<K>,
  { keys, problem }: Keys<K>,
  request: SignedRequest,
): SignatureFault | null {
  const { kind, name, text } = findSignature(scheme, request);
  if (text === null) return missingSignature(scheme.name, `${kind} ${name}`);
  if (problem) return missingSecret(scheme.name, problem);
  const signatures = readSignatures(scheme, text, request);
  if (signatures.length === 0)
    return fault("malformed", `The ${kind} ${name} is malformed (${scheme.name}): expected ${scheme.form}.`);
  const signed = scheme.signed(request, text);
  if ("kind" in signed) return signed;
  const contents = scheme.alternatives ? [signed, ...scheme.alternatives(request)] : [signed];
  if (!acceptances(keys, contents, signatures).includes(true)) {
    const causes =
      scheme.explainMismatch?.(request) ?? "The sender uses a different secret, or a proxy changed the request.";
    return scheme.proof === "token"
      ? fault("mismatch", `The token in ${name} is not the secret of the endpoint (${scheme.name}).`)
      : fault("mismatch", `The signature in ${name} does not match the request (${scheme.name}). ${causes}`);
  }
  return checkTime(scheme, request, text);
}

/** A sender that rotates its secret sends two or three signatures. More would only cost time. */
const maxSignatures = 16;

function readSignatures<K extends Key>(scheme: Scheme<K>, text: string, request: SignedRequest): Uint8Array[] {
  return scheme
    .readSignatures(text, request)
    .filter((signature) => signature !== null)
    .slice(0, maxSignatures);
}

/** Signs with the first key. */
function sign<K extends Key>(
  scheme: Scheme<K>,
  { keys }: Keys<K>,
  request: SignedRequest,
): Record<string, string> | null {
  const key: (Key & Partial<HmacKey & TokenKey>) | undefined = keys[0];
  if (!key || !scheme.signatureHeader) return null;
  if (scheme.proof === "token") return key.text === undefined ? null : { [scheme.signatureHeader(request)]: key.text };
  if (!scheme.seal || !key.sign) return null;
  const covered = scheme.seal.headers?.(request) ?? {};
  const signed: SignedRequest = {
    ...request,
    url: request.url,
    header: (name) => covered[name] ?? request.header(name),
    headers: () => [...request.headers(), ...Object.entries(covered)],
  };
  // Some schemes sign a part of this header.
  const content = scheme.signed(signed, scheme.seal.write(new Uint8Array(), signed));
  if ("kind" in content) return null;
  return { ...covered, [scheme.signatureHeader(signed)]: scheme.seal.write(key.sign(content), signed) };
}

/** Whether each key accepts one of the contents. Tries every combination, so that the duration reveals nothing. */
function acceptances(keys: readonly Key[], contents: readonly Content[], signatures: readonly Uint8Array[]): boolean[] {
  return keys.map((key) => contents.map((content) => key.accepts(content, signatures)).includes(true));
}

/** The key that accepts a request; the first one, if the request is not signed. */
function keyOf<K extends Key>(scheme: Scheme<K>, { keys }: Keys<K>, request: SignedRequest): K | null {
  const { text } = findSignature(scheme, request);
  const signed = text === null || keys.length < 2 ? [] : scheme.signed(request, text);
  if (text === null || "kind" in signed) return keys[0] ?? null;
  const signatures = readSignatures(scheme, text, request);
  return keys[Math.max(0, acceptances(keys, [signed], signatures).indexOf(true))] ?? null;
}

function readSigned<K extends Key>(scheme: Scheme<K>, request: SignedRequest): SignedEvent {
  return {
    header(name) {
      if (!scheme.signedHeaders?.includes(name)) return null;
      return scheme.readSignedHeader ? scheme.readSignedHeader(request, name) : request.header(name);
    },
    // Hashes the content, not the signature: one signature has several notations, and two secrets sign the same content differently.
    contentHash() {
      const content =
        scheme.eventContent?.(request) ?? scheme.signed(request, findSignature(scheme, request).text ?? "");
      return hashContent(scheme.name, "kind" in content ? [] : content);
    },
    validMs: scheme.time ? 2 * scheme.time.toleranceMs : null,
    coversBody: scheme.coversBody ?? true,
  };
}

export function hashContent(scheme: string, content: Content): string {
  const hash = createHash("sha256").update(`${scheme}\n`);
  for (const part of content) hash.update(part);
  return hash.digest("hex");
}

export function checkTime(
  { name, time }: Pick<Scheme, "name" | "time">,
  request: SignedRequest,
  header: string,
): SignatureFault | null {
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

export const headerPattern = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

/** The name of a header, in lower case. Throws a TypeError if it is invalid. */
export function readHeaderName(name: unknown, option: string, scheme: string): string {
  if (option !== "signedContent") checkText(name, option, scheme, "x-signature");
  if (headerPattern.test(String(name))) return String(name).toLowerCase();
  throw new TypeError(
    `${scheme}: ${option} must be a header name, but is ${JSON.stringify(name)}. Write ${option}: "x-signature".`,
  );
}

/** The forms of a signature in a header. */
export const writeHex = (signature: Uint8Array): string => Buffer.from(signature).toString("hex");
export const writeBase64 = (signature: Uint8Array): string => Buffer.from(signature).toString("base64");
export const writeSeconds = (ms: number): string => String(Math.floor(ms / 1000));

/** Parses a Unix time in seconds and returns milliseconds; `null` for any other text. */
export function readSeconds(text: string | null): number | null {
  return text !== null && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : null;
}

/** Parses a Unix time in milliseconds; `null` for any other text. */
export function readMilliseconds(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/**
 * Equal for verifications that accept the same requests. It is derived from the secrets: compare it, but never store or
 * show it.
 */
export function fingerprintOf(identity: unknown, { keys, problem }: Keys): string {
  const secrets = keys.map((key) => key.fingerprint()).sort();
  return createHash("sha256")
    .update(JSON.stringify([identity, secrets, problem]))
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
