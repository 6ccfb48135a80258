import type { SenderAnswer } from "../../../sdk/definition.ts";
import { AppError } from "../../contract/app-error.ts";
import type { Json } from "../../contract/json.ts";
import type { Challenge, Methods, RequestValue } from "../../contract/project/endpoint.ts";
import { fromPointer, valueAt } from "../../shared/json/json-pointer.ts";

/** The parts of a request that distinguish a test of its sender from an event. */
export interface TestedRequest {
  method: string;
  /** Path and query, as sent. */
  target: string;
  /** Value of a header by its lower-case name; `null` if it is missing. */
  header(name: string): string | null;
  /** Absent: it is not read yet. */
  body?: Json;
  /** The keys of the request, which no answer repeats. */
  secrets: readonly string[];
}

/** The answer to a test, and the name under which the delivery is recorded. */
export interface AnsweredChallenge {
  answer: SenderAnswer;
  scheme: string;
  /** The header that the answer repeats; its value is not recorded. */
  secretHeader: string | null;
}

const maxEcho = 1024;
/** Visible ASCII, with single spaces inside. */
const visible = /^[!-~](?:[ -~]*[!-~])?$/;

/**
 * Answers a request that is a test of its sender: `null` if it is an event. Tests without a field of the body are found
 * before the body is read, and the others once `body` is set. Throws AppError `unsupported_handshake` if the value
 * cannot be repeated.
 */
export function answerChallenge(challenges: readonly Challenge[], request: TestedRequest): AnsweredChallenge | null {
  for (const challenge of challenges) {
    if (challenge.method !== request.method || readsBody(challenge) !== (request.body !== undefined)) continue;
    const value = challenge.echo && read(challenge.echo, request);
    if (value === null && challenge.echo !== null) continue;
    if (challenge.if ? read(challenge.if, request) !== challenge.if.is : !isAlone(challenge, request)) continue;
    if (value !== null) requireVisible(value, challenge, request);
    const secretHeader = challenge.echo?.header ?? null;
    return { answer: answerOf(challenge, value), scheme: challenge.name, secretHeader };
  }
  return null;
}

/** Whether an endpoint takes events by this method. */
export function acceptsMethod({ methods = ["POST"] }: { methods?: Methods }, method: string): boolean {
  return methods.some((accepted) => accepted === method);
}

/** The methods of an endpoint, for the header `Allow`: those of its events, and those of its tests. */
export function allowedMethods({
  methods = ["POST"],
  challenges = [],
}: {
  methods?: Methods;
  challenges?: readonly Challenge[];
}): string {
  return [...new Set([...methods, ...challenges.map(({ method }) => method)])].join(", ");
}

function readsBody({ echo, if: condition }: Challenge): boolean {
  return echo?.field !== undefined || condition?.field !== undefined;
}

/** Without a condition, a body is a test only if it has nothing but the value. An event may have more. */
function isAlone({ echo }: Challenge, { body }: TestedRequest): boolean {
  if (echo?.field === undefined) return true;
  let value: Json | undefined = body;
  for (const step of fromPointer(echo.field)) {
    if (typeof value !== "object" || value === null || Object.keys(value).length !== 1) return false;
    value = valueAt(value, [step]);
  }
  return true;
}

function read(of: RequestValue, { target, header, body }: TestedRequest): string | null {
  if (of.header !== undefined) return header(of.header);
  if (of.query !== undefined) return new URLSearchParams(target.split("?").slice(1).join("?")).get(of.query);
  const value = body === undefined ? undefined : valueAt(body, fromPointer(of.field ?? ""));
  return typeof value === "string" ? value : null;
}

function requireVisible(value: string, { echo }: Challenge, { secrets }: TestedRequest): void {
  const isVisible = value.length <= maxEcho && visible.test(value);
  if (isVisible && !secrets.some((secret) => secret !== "" && value.includes(secret))) return;
  throw new AppError(
    "unsupported_handshake",
    `The sender tests this URL, and the answer cannot repeat the value of ${echo ? nameOf(echo) : "the request"}: it must have 1 to ${maxEcho} visible ASCII characters, and must not be a key.`,
  );
}

function nameOf({ header, query, field }: RequestValue): string {
  return header !== undefined ? `the header ${header}` : query !== undefined ? `the parameter ${query}` : String(field);
}

function answerOf({ as, headers }: Challenge, value: string | null): SenderAnswer {
  if (value === null) return { status: 200, contentType: null, body: "", headers };
  if (as.header !== undefined)
    return { status: 200, contentType: null, body: "", headers: { ...headers, [as.header]: value } };
  if (as.field !== undefined)
    return { status: 200, contentType: "application/json", body: JSON.stringify({ [as.field]: value }), headers };
  return { status: 200, contentType: "text/plain", body: value, headers };
}
