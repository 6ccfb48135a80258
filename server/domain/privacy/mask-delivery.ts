import type { Delivery, DeliverySummary, Reason, VerdictList } from "../../contract/delivery.ts";
import { ownHeaders } from "../../contract/own-headers.ts";
import type { Json } from "../../contract/json.ts";
import type { Problem } from "../../contract/problem.ts";
import { type FieldPart, partOf } from "../../contract/request-parts.ts";
import { mapQuery } from "../deliveries/query-values.ts";
import { redacted } from "./redaction.ts";
import { fromPointer, toPointer } from "../../shared/json/json-pointer.ts";
import { withoutEncoding } from "../requests/content-encoding.ts";
import { parseRecorded } from "../requests/body-format.ts";
import { encodeBody } from "../../shared/schema/encode-body.ts";
import { isObject } from "../../shared/schema/json-schema.ts";
import { type Faker, maskedText } from "./fake-value.ts";
import { describesParts, maskJson, type MaskedValue } from "./mask-json.ts";
import type { EndpointRules, Masks } from "./sensitive-rules.ts";
import type { SensitivePlace } from "./sensitive-schema.ts";

/**
 * A delivery as lists show it. The hash of the body is missing: the other fields are known, so it would confirm a guess
 * of a short value.
 */
export function maskSummary<Summary extends DeliverySummary>(
  delivery: Summary,
  rules: EndpointRules,
  faker: Faker,
): Summary {
  return {
    ...delivery,
    headers: maskFields(delivery.headers, rules, { faker }),
    bodySha256: rules.body ? null : delivery.bodySha256,
    problem: delivery.problem && maskProblem(delivery.problem, rules),
    ...maskVerdicts(delivery, rules),
    isMasked: true,
  };
}

/** A delivery with its body. A body that cannot be read is not shown. */
export async function maskDelivery(delivery: Delivery, rules: EndpointRules, faker: Faker): Promise<Delivery> {
  const masked = maskSummary(delivery, rules, faker);
  if (!rules.body || delivery.body === null) return masked;
  const body = await maskBody(delivery, rules, { faker });
  if (!body) return { ...masked, body: null, json: null };
  return {
    ...masked,
    headers:
      body.rewrittenAs === null
        ? masked.headers
        : { ...withoutEncoding(masked.headers), "content-type": body.rewrittenAs },
    body: Buffer.from(body.bytes).toString("base64"),
    json: body.json,
  };
}

/** A body without its sensitive values. */
export interface MaskedBody {
  /** Encoded as the endpoint accepts it; a multipart form as JSON. */
  bytes: Uint8Array<ArrayBuffer>;
  /** `null`: the body is not JSON. */
  json: Json | null;
  /** The Content-Type of the bytes, if the headers of the delivery announce another type, charset or encoding. */
  rewrittenAs: string | null;
}

/** `null`: the body is not stored, or cannot be read. */
export async function maskBody(
  delivery: Pick<Delivery, "id" | "body" | "headers">,
  { body: place, formats }: Pick<EndpointRules, "body" | "formats">,
  p: { faker: Faker; replaced?: MaskedValue[] },
): Promise<MaskedBody | null> {
  const parsed = await parseRecorded(delivery, formats);
  if (!parsed) return null;
  const { format, isPlain } = parsed;
  const value = maskJson(parsed.json, place, p);
  const text = JSON.stringify(value);
  if (format.type === "multipart") return { bytes: Buffer.from(text), json: value, rewrittenAs: "application/json" };
  const encoded = encodeBody(format, text);
  return (
    encoded && {
      bytes: Buffer.from(encoded.body),
      json: format.type === "json" ? value : null,
      rewrittenAs: isPlain ? null : encoded.contentType,
    }
  );
}

/** Hashes of the body, which would confirm a guess of a short value. */
const digestHeaders: ReadonlySet<string> = new Set([
  "content-digest",
  "repr-digest",
  "digest",
  "content-md5",
  "etag",
  "x-amz-content-sha256",
  "x-amz-checksum-crc32",
  "x-amz-checksum-crc32c",
  "x-amz-checksum-crc64nvme",
  "x-amz-checksum-sha1",
  "x-amz-checksum-sha256",
  "x-goog-hash",
  "x-ms-content-crc64",
  "x-ms-blob-content-md5",
]);

/** The headers and the query as recorded. Credentials that were removed stay as they are. */
export function maskFields(
  recorded: Readonly<Record<string, string>>,
  rules: Pick<EndpointRules, FieldPart | "body">,
  p: { faker: Faker; replaced?: MaskedValue[] },
): Record<string, string> {
  const isMarked = (part: FieldPart | "body", name: string) =>
    rules[part]?.isSensitive === true || rules[part]?.property(name)?.hasSensitive === true;
  /** The names of headers are not data: what clients and proxies add stays, unless the schema describes it. */
  const maskHeader = (name: string, value: string) => {
    if (rules.body && digestHeaders.has(name)) return redacted;
    const at = rules.headers?.property(name);
    if (!at || !isMarked("headers", name) || value.includes(redacted)) return value;
    return String(maskJson(value, { ...at, isSensitive: true, hasSensitive: true }, p));
  };
  const maskIn =
    (...parts: (FieldPart | "body")[]) =>
    (name: string, value: string) => {
      const part = parts.find((one) => isMarked(one, name));
      if (part === undefined || value.includes(redacted)) return { name, value };
      const [[shownName, shown] = [name, value]] = Object.entries(maskJson({ [name]: value }, rules[part], p) ?? {});
      return { name: shownName, value: String(shown) };
    };
  const maskUrl = (url: string) => {
    const at = url.indexOf("?") + 1;
    // The query of a GET is its body.
    return at === 0 ? url : url.slice(0, at) + mapQuery(url.slice(at), maskIn("query", "body"));
  };
  const maskOne = (name: string, value: string) => {
    if (name === ownHeaders.query) return mapQuery(value, maskIn("query"));
    if (name === ownHeaders.requestUrl) return maskUrl(value);
    if (name === ownHeaders.rounded) return maskPointers(value, rules.body);
    return name === ownHeaders.repeated ? maskRepeated(value, maskHeader) : maskHeader(name, value);
  };
  return Object.fromEntries(Object.entries(recorded).map(([name, value]) => [name, maskOne(name, value)]));
}

function maskRepeated(text: string, maskOne: (name: string, value: string) => string): string {
  const values = parse(text);
  if (!isObject(values)) return text;
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(values).map(([name, each]) => [
        name,
        Array.isArray(each) ? each.map((value) => (typeof value === "string" ? maskOne(name, value) : value)) : each,
      ]),
    ),
  );
}

/** A list of paths in the body, whose keys can be data. */
function maskPointers(text: string, body: SensitivePlace | null): string {
  const pointers = parse(text);
  if (!Array.isArray(pointers)) return text;
  return JSON.stringify(
    pointers.map((pointer) => (typeof pointer === "string" ? look(pointer, body).pointer : pointer)),
  );
}

function parse(text: string): Json | null {
  try {
    const json: Json = JSON.parse(text);
    return json;
  } catch {
    return null;
  }
}

/** The reasons of verdicts without the actual values of sensitive fields, and without keys that are data. */
function maskVerdicts(list: VerdictList, rules: EndpointRules): VerdictList {
  return {
    verdicts: list.verdicts.map((verdict) =>
      verdict.reasons.length === 0
        ? verdict
        : { ...verdict, reasons: maskReasons(verdict.reasons, placeOf(rules, verdict.outcome)) },
    ),
    unlistedVerdicts: list.unlistedVerdicts.map((one) => {
      if (one.pointer === null) return one;
      const { pointer, isHidden } = look(one.pointer, placeOf(rules, one.outcome));
      return { ...one, pointer, actual: isHidden && one.actual !== null ? maskedText : one.actual };
    }),
  };
}

/** The same for the triggers of any endpoint. */
export function maskVerdictsOf(masks: Masks | null, endpoint: string, list: VerdictList): VerdictList {
  const rules = masks?.rules.endpoints.get(endpoint);
  return rules ? maskVerdicts(list, rules) : list;
}

/** The reasons of a stop on an endpoint. */
export function maskReasonsOf(
  masks: Masks | null,
  { endpoint, outcome, reasons }: { endpoint: string; outcome: string; reasons: Reason[] },
): Reason[] {
  const rules = masks?.rules.endpoints.get(endpoint);
  return rules ? maskReasons(reasons, placeOf(rules, outcome)) : reasons;
}

function placeOf(rules: EndpointRules, outcome: string): SensitivePlace | null {
  return rules[partOf(outcome)];
}

function maskReasons(reasons: readonly Reason[], place: SensitivePlace | null): Reason[] {
  return reasons.map((reason) => {
    const { pointer, isHidden } = look(reason.pointer, place);
    if (!isHidden) return reason;
    return {
      ...reason,
      pointer,
      message: maskMessage(reason),
      actual: reason.actual === null ? null : maskedText,
    };
  });
}

function maskProblem(problem: Problem, { body, headers }: EndpointRules): Problem {
  if (!problem.errors) return problem;
  const errors = problem.errors.map((error) => {
    const inBody = look(error.pointer, body);
    const { pointer, isHidden } = inBody.isHidden ? inBody : look(error.pointer, headers);
    return isHidden ? { ...error, pointer, message: maskMessage(error) } : error;
  });
  return { ...problem, errors };
}

/** These messages name keys of the body, or come from an exception. */
function maskMessage({ code, message }: { code: string; message: string }): string {
  if (code === "schema_error") return "The schema threw an error";
  return code === "unrecognized_keys" || code === "invalid_key" ? "Invalid keys" : message;
}

/** Whether the value at a pointer is sensitive or has sensitive parts, and the pointer without keys that are sensitive. */
function look(pointer: string, root: SensitivePlace | null): { pointer: string; isHidden: boolean } {
  let place = root;
  let isBelow = false;
  const steps: string[] = [];
  for (const step of fromPointer(pointer)) {
    // Longer numbers are keys: of cards, accounts, phones.
    const isNumber = /^(?:0|[1-9]\d{0,5})$/.test(step);
    const [property, item] = [place?.property(step) ?? null, isNumber ? (place?.item(Number(step)) ?? null) : null];
    const next: SensitivePlace | null = property ?? item;
    // A value of another type than its schema is masked as a whole.
    const isOfOtherType = next === null && place !== null && !describesParts(place, isNumber ? "array" : "object");
    isBelow ||= place?.isSensitive === true || (place?.hasSensitive === true && isOfOtherType);
    // A key can be a number as well.
    const isIndex = property === null && item !== null;
    const isData = isBelow && !isIndex && !isNamed(place, step);
    steps.push(isData ? "*" : step);
    place = next;
  }
  const isHidden = isBelow || place?.hasSensitive === true;
  return { pointer: isHidden ? toPointer(steps) : pointer, isHidden };
}

function isNamed(place: SensitivePlace | null, name: string): boolean {
  return place?.schemas.some(({ properties }) => isObject(properties) && Object.hasOwn(properties, name)) === true;
}
