import { Buffer } from "node:buffer";
import { verify, X509Certificate } from "node:crypto";
import { checkNames } from "../../check-shape.ts";
import type { SenderAnswer, SignatureFault, SignedRequest } from "../../definition.ts";
import type { Duration } from "../../duration.ts";
import { isRecord, readJsonObject } from "../body.ts";
import { fromBase64, type Key, readKeys, type Secret } from "../secrets.ts";
import {
  checkTime,
  defineVerification,
  fault,
  fingerprintOf,
  hashContent,
  jsonAnswer,
  missingSecret,
  missingSignature,
  readTolerance,
  type Verification,
} from "../verification.ts";
import { describeLoadFailure } from "../load-failure.ts";

/** Options of `sns`. */
export interface SnsOptions {
  /** The ARN of the topic, or a list of ARNs. Amazon signs the messages of every topic, also those of other accounts. */
  topicArn: Secret;
  /**
   * Confirms subscriptions to these topics: the server requests the `SubscribeURL` of a signed confirmation, on a host
   * of Amazon SNS. Default: `false`. The confirmation is recorded, and you open its `SubscribeURL`.
   */
  confirmSubscriptions?: boolean;
  /** Maximum clock difference. SNS repeats a message with its first time. `"1s"` to `"24h"`. Default: `"1h"`. */
  tolerance?: Duration;
}

/** The only hosts whose certificates and confirmations are loaded. */
const hostPattern = /^sns\.[a-z0-9-]{3,32}\.amazonaws\.com(\.cn)?$/;
const certificatePath = /^\/SimpleNotificationService-[0-9a-zA-Z]{1,64}\.pem$/;
const notificationFields = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const controlFields = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const hashes = { 1: "sha1", 2: "sha256" } as const;

/**
 * Verifies messages of Amazon SNS. The certificate is loaded from the host of SNS in the message, over HTTPS, and kept
 * in memory. A message of a topic other than `topicArn` is rejected. Messages with raw delivery are not signed and are
 * rejected. Retries are recognised by the signed content, which has the id of the message. Throws a TypeError if an
 * option is invalid. https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 *
 * @example
 *   import { sns } from "signalbox/verify";
 *
 *   verify: sns({ topicArn: "arn:aws:sns:eu-west-1:123456789012:orders", confirmSubscriptions: true });
 */
export function sns(options: SnsOptions): Verification {
  const topics = readKeys(options, { scheme: "sns", option: "topicArn", create: createTopic });
  checkNames(options, "sns", ["topicArn", "confirmSubscriptions", "tolerance"]);
  const { confirmSubscriptions: confirms = false } = options;
  if (typeof confirms !== "boolean")
    throw new TypeError("sns: confirmSubscriptions must be true or false. Write confirmSubscriptions: true.");
  const toleranceMs = readTolerance(options.tolerance ?? "1h", "sns");

  async function check(request: SignedRequest): Promise<SignatureFault | null> {
    const message = readJsonObject(request.body);
    if (typeof message["Signature"] !== "string") return missingSignature("sns", "field Signature of the body");
    if (topics.problem) return missingSecret("sns", topics.problem);
    const topic = Buffer.from(textOf(message, "TopicArn"));
    if (!topics.keys.some((key) => key.accepts([], [topic])))
      return fault("mismatch", "The message belongs to a topic that is not in topicArn (sns).");
    const hash = hashOf(message);
    const signature = fromBase64(message["Signature"]);
    const url = readSnsUrl(message["SigningCertURL"]);
    if (hash === null || signature === null || signature.length === 0)
      return fault("malformed", "The message has no signature of version 1 or 2 (sns).");
    if (url === null || !certificatePath.test(url.pathname) || url.search !== "")
      return fault("malformed", "SigningCertURL does not lead to a certificate on a host of Amazon SNS (sns).");
    const content = signedContent(message);
    if (content === null) return fault("malformed", "The message lacks a field that SNS signs (sns).");
    const certificate = await loadCertificate(url);
    if (typeof certificate === "string") return fault("failed", `${certificate} (sns)`);
    const problem = problemOf(certificate, request.receivedAtMs);
    if (problem !== null) return fault("mismatch", `The certificate of the message ${problem} (sns).`);
    if (!verify(hash, Buffer.from(content), certificate.publicKey, signature))
      return fault("mismatch", "The signature of the message does not match its fields (sns). A proxy changed it.");
    return checkTime({ name: "sns", time: timeOf(toleranceMs) }, request, "");
  }

  return defineVerification({
    scheme: "sns",
    secretProblem: topics.problem,
    check,
    isTimed: true,
    signedHeaders: [],
    readSigned: ({ body }) => ({
      header: () => null,
      contentHash: () => hashContent("sns", [signedContent(readJsonObject(body)) ?? ""]),
      validMs: 2 * toleranceMs,
      coversBody: true,
    }),
    answer: (body, _, signal) => answerControl(body, confirms, signal),
    jsonTypes: ["text/plain"],
    bodies: ["json"],
    fingerprint: () => fingerprintOf(["sns", { confirms, toleranceMs }], topics),
  });
}

function createTopic(arn: string): Key | string {
  if (!/^arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[\w.-]{1,256}$/.test(arn)) return "is not the ARN of a topic";
  return {
    accepts: (_, [given]) => given !== undefined && Buffer.from(given).toString() === arn,
    fingerprint: () => arn,
  };
}

function timeOf(toleranceMs: number) {
  return {
    source: "Timestamp",
    toleranceMs,
    read({ body }: SignedRequest): number | null {
      const time = Date.parse(textOf(readJsonObject(body), "Timestamp"));
      return Number.isNaN(time) ? null : time;
    },
  };
}

function textOf(message: Readonly<Record<string, unknown>>, field: string): string {
  const value = message[field];
  return typeof value === "string" ? value : "";
}

function hashOf({ SignatureVersion: version }: Readonly<Record<string, unknown>>): "sha1" | "sha256" | null {
  return version === "1" || version === "2" ? hashes[version] : null;
}

/** Each signed field on two lines: its name and its value. `null` if a required field is missing. */
function signedContent(message: Readonly<Record<string, unknown>>): string | null {
  const fields = message["Type"] === "Notification" ? notificationFields : controlFields;
  const present = fields.filter((field) => typeof message[field] === "string");
  const isComplete = fields.every((field) => field === "Subject" || present.includes(field));
  return isComplete ? present.map((field) => `${field}\n${textOf(message, field)}\n`).join("") : null;
}

/** A URL on a host of SNS: HTTPS, the default port, and no credentials. */
function readSnsUrl(text: unknown): URL | null {
  const url = typeof text === "string" && text.length <= 2048 ? URL.parse(text) : null;
  const isOfSns = url?.protocol === "https:" && hostPattern.test(url.hostname) && url.port === "";
  return isOfSns && url.username === "" && url.password === "" ? url : null;
}

const certificates = new Map<string, Promise<X509Certificate | string>>();
const maxCertificates = 20;
const maxPem = 64 * 1024;
const loadTimeoutMs = 1_500;

/** The certificate, or why it could not be loaded. Requests share it, and failures are not kept. */
function loadCertificate({ href }: URL): Promise<X509Certificate | string> {
  const known = certificates.get(href);
  if (known) return known;
  const loading = fetchCertificate(href).catch(
    (error: unknown) => `The certificate of the sender could not be loaded: ${describeLoadFailure(error)}`,
  );
  certificates.set(href, loading);
  const [oldest = ""] = certificates.keys();
  if (certificates.size > maxCertificates) certificates.delete(oldest);
  return loading.then((loaded) => {
    if (typeof loaded === "string") certificates.delete(href);
    return loaded;
  });
}

async function fetchCertificate(href: string): Promise<X509Certificate | string> {
  const response = await fetch(href, { redirect: "error", signal: AbortSignal.timeout(loadTimeoutMs) });
  if (!response.ok)
    return `The certificate of the sender could not be loaded: the answer has status ${response.status}`;
  const pem = await response.text();
  return pem.length > maxPem ? "The certificate of the sender is too large" : readChain(pem);
}

/** The first certificate of a file. Each one must be issued by the next one. */
function readChain(pem: string): X509Certificate | string {
  const chain = (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []).map(
    (one) => new X509Certificate(one),
  );
  const [leaf] = chain;
  if (!leaf) return "The certificate of the sender could not be read";
  const isChain = chain.every((one, at) => {
    const issuer = chain[at + 1];
    return !issuer || (one.checkIssued(issuer) && one.verify(issuer.publicKey));
  });
  return isChain ? leaf : "The certificates of the sender are no chain";
}

/** Why a certificate is not valid for SNS at a time, as a predicate. */
function problemOf(certificate: X509Certificate, now: number): string | null {
  if (now < Date.parse(certificate.validFrom) || now > Date.parse(certificate.validTo)) return "has expired";
  const isOfSns = certificate.subject
    .split("\n")
    .some((line) => /^CN=sns\.(?:[a-z0-9-]+\.)?amazonaws\.com(?:\.cn)?$/.test(line));
  return isOfSns ? null : "belongs to another service";
}

/** Messages about subscriptions start nothing. A confirmation is requested if the project wants that. */
function answerControl(
  body: unknown,
  confirms: boolean,
  signal?: AbortSignal,
): SenderAnswer | null | Promise<SenderAnswer> {
  if (!isRecord(body)) return null;
  const type = body["Type"];
  if (type !== "SubscriptionConfirmation" && type !== "UnsubscribeConfirmation") return null;
  const answer = jsonAnswer({ ok: true, skipped: true });
  return confirms && type === "SubscriptionConfirmation" ? confirm(body, signal).then(() => answer) : answer;
}

async function confirm(message: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<void> {
  const url = readSnsUrl(message["SubscribeURL"]);
  const isConfirmation =
    url?.searchParams.get("Action") === "ConfirmSubscription" &&
    url.searchParams.get("TopicArn") === textOf(message, "TopicArn");
  if (!url || !isConfirmation) throw new Error("SubscribeURL does not confirm a subscription on a host of Amazon SNS");
  const response = await fetch(url, { redirect: "error", ...(signal && { signal }) }).catch((cause: unknown) => {
    throw new Error(`The confirmation was not sent to Amazon SNS: ${describeLoadFailure(cause)}`, { cause });
  });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`Amazon SNS answered the confirmation with status ${response.status}`);
}
