import { challengePresets } from "../../../sdk/challenges.ts";
import { type Challenge, challengeSchema } from "../../../server/contract/project/endpoint.ts";
import { didYouMean } from "../../../sdk/did-you-mean.ts";
import { fromPointer, toPointer } from "../../../server/shared/json/json-pointer.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry } from "../evaluation/protocol.ts";
import type { ProjectFiles } from "../project-files.ts";
import { show } from "./check-definitions.ts";

/** Diagnostics of `challenge`: unknown senders, and tests that would be events, or whose answer is not allowed. */
export function challengeDiagnostics(entries: readonly EvaluatedEntry[], files: ProjectFiles): Diagnostic[] {
  return entries.flatMap((entry) => {
    if (entry.outcome !== "trigger") return [];
    const { file, trigger } = entry;
    return listOptions(trigger.challenge).flatMap((option) => {
      const problem = findProblem(option);
      if (problem === null) return [];
      const at = files.findProperty(file, "challenge") ?? { file };
      return [files.diagnose({ code: "invalid_challenge", title: `${file} › challenge ${problem}`, at })];
    });
  });
}

/** The tests of `challenge`, as the receiver answers them. Requires options without diagnostics. */
export function challengesOf(challenge: unknown): Challenge[] {
  return listOptions(challenge).flatMap((option) => {
    const name = typeof option === "string" ? option : "challenge";
    const forms: readonly unknown[] = typeof option === "string" ? (presetOf(option) ?? []) : [option];
    return forms.flatMap((form) => challengeSchema.safeParse(complete(form, name)).data ?? []);
  });
}

function listOptions(challenge: unknown): readonly unknown[] {
  return challenge === undefined ? [] : Array.isArray(challenge) ? challenge : [challenge];
}

function presetOf(name: string): readonly unknown[] | null {
  return Object.entries(challengePresets).find(([preset]) => preset === name)?.[1] ?? null;
}

const credentials = /^(?:authorization|proxy-authorization|cookie2?|x-api-key)$/;

function findProblem(option: unknown): string | null {
  if (typeof option === "string") {
    if (presetOf(option)) return null;
    return `is ${show(option)}, and no sender has this name.${didYouMean(option, Object.keys(challengePresets))}`;
  }
  const parsed = challengeSchema.safeParse(complete(option, "challenge"));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${(issue?.path ?? []).map((step) => `› ${String(step)} `).join("")}is invalid: ${issue?.message ?? show(option)}`;
  }
  const { method, if: condition, echo, as } = parsed.data;
  const named = [echo, condition].flatMap((value) => value ?? []);
  if (method !== "POST" && named.some(({ field }) => field !== undefined)) return `› ${method} has no body to read`;
  if (method === "POST" && named.length === 0)
    return "› a POST needs if or echo: otherwise every event would be a test";
  if (echo === null && (as.field !== undefined || as.header !== undefined))
    return "› as needs echo, the value to repeat";
  const secret = named.find(
    ({ header, query }) =>
      (header !== undefined && credentials.test(header)) || query === "token" || query === "api_key",
  );
  return secret ? `› ${secret.header ?? secret.query} carries a key, which is never read or repeated` : null;
}

/** The option with its defaults, even if it is invalid. */
function complete(option: unknown, name: string): unknown {
  if (typeof option !== "object" || option === null || Array.isArray(option)) return option;
  const { method = "POST", if: condition = null, echo = null, as = "text", headers = {}, ...others }: Given = option;
  return {
    name,
    method,
    if: normalize(condition),
    echo: normalize(echo),
    as: as === "text" ? {} : normalize(as, { isAnswer: true }),
    headers: isRecord(headers) ? lowerNames(headers) : headers,
    ...others,
  };
}

interface Given {
  method?: unknown;
  if?: unknown;
  echo?: unknown;
  as?: unknown;
  headers?: unknown;
}

/** Header names in lower case, and fields as JSON Pointers. The field of an answer is a name. */
function normalize(value: unknown, { isAnswer = false }: { isAnswer?: boolean } = {}): unknown {
  if (!isRecord(value)) return value;
  const { header, field } = value;
  return {
    ...value,
    ...(typeof header === "string" && { header: header.toLowerCase() }),
    ...(typeof field === "string" && !isAnswer && { field: toField(field) }),
  };
}

function toField(field: string): string {
  return toPointer(field.startsWith("/") ? fromPointer(field) : field.split("."));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function lowerNames(headers: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
