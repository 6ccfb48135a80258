import { isDeepStrictEqual } from "node:util";
import { parseDuration } from "../../../sdk/duration.ts";
import { type EndpointSettings, endpointSettings } from "../../../sdk/endpoint-settings.ts";
import {
  type Dedupe,
  type Reply,
  replyOutcomes,
  replySchema,
  replySchemaOf,
} from "../../../server/contract/project/endpoint.ts";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import type { ManifestEnvironment } from "../../../server/contract/project/manifest.ts";
import { fromPointer } from "../../../server/shared/json/json-pointer.ts";
import { isStrictScheme } from "../../../server/domain/deliveries/strict-senders.ts";
import { nameMissingSecrets, nameUnusableSecrets } from "../../../server/project/verification-secrets.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry, EvaluatedTrigger } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";
import { readHeaderName, readPointer } from "./request-values.ts";

const defaultWindow = "24h";
const minWindowMs = 1000;
const maxWindowMs = 30 * 86_400_000;

/** Diagnostics of `verify`, `dedupe` and `reply`, and of sources that share an endpoint but not its settings. */
export function guardDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  const triggers = entries.flatMap((entry) =>
    entry.outcome === "trigger" ? [{ file: entry.file, ...entry.trigger }] : [],
  );
  return [
    ...triggers.flatMap((trigger) => [...dedupeDiagnostics(trigger, files), ...replyDiagnostics(trigger, files)]),
    ...disagreements(triggers, files),
    ...rejectionHints(triggers, files),
  ];
}

/** The parsed `dedupe`, without an unsigned header or field. Requires a value without errors. */
export function dedupeOf({ dedupe, verify }: Pick<EvaluatedTrigger, "dedupe" | "verify">): Dedupe | null {
  const read = dedupe === undefined ? null : readDedupe(dedupe);
  if (!read || "problem" in read) return null;
  const { dedupe: given } = read;
  return {
    ...given,
    header: isUnsigned(given.header, verify) ? null : given.header,
    field: verify?.coversBody === false ? null : given.field,
  };
}

/** Anyone with a copy of a signed request can replay it with another value of such a header. */
function isUnsigned(header: string | null, verify: EvaluatedTrigger["verify"]): boolean {
  return header !== null && verify !== null && verify.signedHeaders?.includes(header) === false;
}

/** The parsed `reply`; an object becomes JSON. Requires a value without diagnostics. */
export function replyOf(reply: unknown): Reply | null {
  return replySchema.safeParse(readReply(reply)).data ?? null;
}

/** With defaults: the same response to all outcomes, or one for each. Values may be invalid. */
function readReply(reply: unknown): unknown {
  if (!isObject(reply)) return reply;
  return isByOutcome(reply)
    ? Object.fromEntries(Object.entries(reply).map(([outcome, one]) => [outcome, readResponse(outcome, one)]))
    : readResponse(null, reply);
}

function isByOutcome(reply: JsonSchemaObject): boolean {
  return replyOutcomes.some((outcome) => Object.hasOwn(reply, outcome));
}

function readResponse(outcome: string | null, given: unknown): unknown {
  if (!isObject(given)) return given;
  const { status, body = "", headers = {}, ...others } = given;
  const named = isObject(headers)
    ? Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
    : null;
  const json = isObject(body) ? [["content-type", "application/json"] as const] : [];
  return {
    ...(outcome === "rejected" && status === undefined ? {} : { status: status ?? 200 }),
    body: isObject(body) ? JSON.stringify(body) : body,
    headers: named ? Object.fromEntries([...json, ...named]) : headers,
    ...others,
  };
}

/** What is wrong with `reply`, as the rest of a title that begins with `reply`; `null`: nothing. */
function replyProblem(reply: unknown): string | null {
  if (reply === undefined) return null;
  if (!isObject(reply) || !isByOutcome(reply))
    return describeIssue([], replySchemaOf(null).safeParse(readReply(reply)).error);
  for (const [name, given] of Object.entries(reply)) {
    const outcome = replyOutcomes.find((each) => each === name);
    if (outcome === undefined) return ` › ${name} is not an outcome: ${replyOutcomes.join(", ")}`;
    const problem = describeIssue([name], replySchemaOf(outcome).safeParse(readResponse(name, given)).error);
    if (problem !== null) return problem;
  }
  return null;
}

function describeIssue(path: readonly string[], error: { issues: readonly Issue[] } | undefined): string | null {
  const issue = error?.issues[0];
  if (!issue) return null;
  return `${[...path, ...issue.path].map((step) => ` › ${String(step)}`).join("")}: ${issue.message}`;
}

interface Issue {
  path: readonly PropertyKey[];
  message: string;
}

function replyDiagnostics({ file, reply }: FoundTrigger, files: ProjectFiles): Diagnostic[] {
  const problem = replyProblem(reply);
  if (problem === null) return [];
  return [
    files.diagnose({
      code: "invalid_reply",
      title: `${file} › reply${problem}`,
      at: files.findProperty(file, "reply") ?? { file },
    }),
  ];
}

type FoundTrigger = EvaluatedTrigger & { file: string };

/**
 * A variable that is not set here is a warning, once, with all triggers that need it. An unusable secret is an error.
 * `secrets`: of the manifest.
 */
export function secretDiagnostics(
  entries: readonly EvaluatedEntry[],
  files: ProjectFiles,
  secrets: ManifestEnvironment["secrets"],
): Diagnostic[] {
  const problems = entries.flatMap((entry) =>
    entry.outcome === "trigger" && entry.trigger.verify?.problem
      ? [{ file: entry.file, scheme: entry.trigger.verify.scheme, problem: entry.trigger.verify.problem }]
      : [],
  );
  const missing = problems.filter(({ problem }) => problem.kind === "missing");
  const { variables, others } = nameMissingSecrets({ triggers: missing, secrets });
  const describe = (
    { file, scheme, problem: { words, subject = "secret" } }: (typeof problems)[number],
    names: readonly string[] = [],
  ) => `${file} › verify › ${scheme}: its ${subject}${names.length > 0 ? ` (${names.join(", ")})` : ""} ${words}`;
  // Without code frames: the lines may contain a secret.
  return [
    ...problems
      .filter(({ problem }) => problem.kind !== "missing")
      .map((trigger) =>
        files.diagnose({
          code: "unusable_secret",
          title: describe(trigger, nameUnusableSecrets({ file: trigger.file, secrets })),
          at: { file: trigger.file },
          ...(trigger.problem.fix && { fix: `${trigger.problem.fix} in the environment or in .env.` }),
        }),
      ),
    ...variables.map(({ name, files: users }) =>
      files.diagnose({
        code: "missing_secret",
        title: `${name} is not set: ${users.join(", ")}`,
        at: { file: users[0] ?? "" },
        severity: "warning",
      }),
    ),
    ...others.map((trigger) =>
      files.diagnose({
        code: "missing_secret",
        title: describe(trigger),
        at: { file: trigger.file },
        severity: "warning",
      }),
    ),
  ];
}

function dedupeDiagnostics({ file, dedupe, request, verify }: FoundTrigger, files: ProjectFiles): Diagnostic[] {
  if (dedupe === undefined) return [];
  const read = readDedupe(dedupe);
  if ("problem" in read)
    return [
      files.diagnose({
        code: "invalid_dedupe",
        title: `${file} › dedupe › ${read.problem}`,
        at: files.findProperty(file, read.property) ?? { file },
      }),
    ];
  const { field, header } = read.dedupe;
  if (verify && isUnsigned(header, verify)) {
    return [
      files.diagnose({
        code: "unsigned_dedupe_header",
        title: `${file} › dedupe › ${header} is not signed by ${verify.scheme}, so it is ignored`,
        at: files.findProperty(file, "header", header) ?? files.findProperty(file, "dedupe") ?? { file },
        severity: "warning",
      }),
    ];
  }
  if (field !== null && verify?.coversBody === false) {
    return [
      files.diagnose({
        code: "unsigned_dedupe_field",
        title: `${file} › dedupe › ${verify.scheme} does not sign the body, so ${field} is ignored`,
        at: files.findProperty(file, "field") ?? files.findProperty(file, "dedupe") ?? { file },
        severity: "warning",
      }),
    ];
  }
  if (field === null || !request.json || mayContain(request.json, fromPointer(field))) return [];
  return [
    files.diagnose({
      code: "unnamed_dedupe_field",
      title: `${file} › dedupe › request has no ${field}`,
      at: files.findProperty(file, "field") ?? { file },
      severity: "warning",
    }),
  ];
}

/** Whether a body of this schema may have a value at this path; `true` if that is unclear. */
function mayContain(schema: JsonSchemaObject, [name, ...rest]: readonly string[]): boolean {
  const { properties } = schema;
  if (name === undefined || !isObject(properties) || "allOf" in schema || "anyOf" in schema || "oneOf" in schema)
    return true;
  const next = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (next === undefined) return isObject(schema["additionalProperties"]) || schema["additionalProperties"] === true;
  return !isObject(next) || mayContain(next, rest);
}

function isObject(value: unknown): value is JsonSchemaObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Sources that share an endpoint but differ in their guards. Each is compared with the first. */
function disagreements(triggers: readonly FoundTrigger[], files: ProjectFiles): Diagnostic[] {
  return [...Map.groupBy(triggers, ({ endpoint }) => endpoint).values()].flatMap((group) => {
    const [first, ...others] = group.toSorted((a, b) => (a.file < b.file ? -1 : 1));
    return first ? others.flatMap((other) => disagreement(first, other, files)) : [];
  });
}

function disagreement(first: FoundTrigger, other: FoundTrigger, files: ProjectFiles): Diagnostic[] {
  const found: Diagnostic[] = [];
  const report = (property: "verify" | keyof EndpointSettings, what: string): void => {
    // Not the line of verify: it may contain a secret.
    const at = (property !== "verify" && files.findProperty(other.file, property)) || { file: other.file };
    found.push(
      files.diagnose({
        code: "endpoint_disagrees",
        title: `${other.file} and ${first.file} share the endpoint ${JSON.stringify(other.endpoint)}, but ${what}`,
        at,
      }),
    );
  };
  if (first.verify?.fingerprint !== other.verify?.fingerprint) report("verify", sayVerify(first, other));
  const isAlike = isDeepStrictEqual(comparable(first.dedupe), comparable(other.dedupe));
  if (!isAlike) report("dedupe", "differ in dedupe");
  for (const property of endpointSettings) {
    if (property === "dedupe") continue;
    // The default of a shared endpoint.
    const fallback = property === "onMismatch" ? "skip" : undefined;
    if (!isDeepStrictEqual(first[property] ?? fallback, other[property] ?? fallback))
      report(property, `differ in ${property}`);
  }
  return found;
}

/** The only trigger on an endpoint rejects other events, and some senders then disable the endpoint. */
function rejectionHints(triggers: readonly FoundTrigger[], files: ProjectFiles): Diagnostic[] {
  return [...Map.groupBy(triggers, ({ endpoint }) => endpoint).values()].flatMap((group) => {
    const [only, ...others] = group;
    if (!only || others.length > 0 || only.onMismatch !== undefined || !only.verify) return [];
    const { file, verify } = only;
    if (!isStrictScheme(verify.scheme)) return [];
    return [
      files.diagnose({
        code: "rejects_other_events",
        title: `${file} › onMismatch is not set, and ${verify.scheme} disables an endpoint after errors`,
        at: files.findProperty(file, "endpoint", only.endpoint) ?? { file },
        severity: "warning",
      }),
    ];
  });
}

function comparable(dedupe: unknown): unknown {
  return dedupe === undefined ? null : readDedupe(dedupe);
}

function sayVerify(first: FoundTrigger, other: FoundTrigger): string {
  const [one, two] = [other.verify?.scheme ?? "no signature", first.verify?.scheme ?? "no signature"];
  return one === two ? `differ in the secret or options of ${one}` : `differ in verify: ${one} and ${two}`;
}

/** The parsed `dedupe` of a source, or its problem, as the rest of a title that begins with `dedupe › `. */
function readDedupe(dedupe: unknown): { dedupe: Dedupe } | { property: string; problem: string } {
  if (typeof dedupe !== "object" || dedupe === null || Array.isArray(dedupe))
    return { property: "dedupe", problem: `is ${show(dedupe)}` };
  const options: { header?: unknown; field?: unknown; window?: unknown } = dedupe;
  const unknown = Object.keys(options).find((name) => !["header", "field", "window"].includes(name));
  if (unknown !== undefined) return { property: unknown, problem: `${unknown} is not an option` };
  const { header, field, window = defaultWindow } = options;
  if (header !== undefined && field !== undefined)
    return { property: "dedupe", problem: "has a header and a field, but only one is allowed" };
  if (header === undefined && field === undefined && options.window === undefined)
    return { property: "dedupe", problem: "has no header, field or window" };
  const windowMs = parseDuration(window);
  if (windowMs === null || windowMs < minWindowMs || windowMs > maxWindowMs)
    return { property: "window", problem: `window is ${show(window)}` };
  if (header !== undefined) {
    const name = readHeaderName(header);
    if (name === null) return { property: "header", problem: `header is ${show(header)}, which is not a header name` };
    return { dedupe: { header: name, field: null, windowMs } };
  }
  if (field === undefined) return { dedupe: { header: null, field: null, windowMs } };
  const pointer = readPointer(field);
  return pointer === null
    ? { property: "field", problem: `field is ${show(field)}, which is not a JSON Pointer or a dotted path` }
    : { dedupe: { header: null, field: pointer, windowMs } };
}
