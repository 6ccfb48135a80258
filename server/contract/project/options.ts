import { z } from "zod";
import { type Duration, parseDuration } from "../../../sdk/duration.ts";
import { delayNames, findDelayProblems, readDelays, showOption } from "../../../sdk/retry-options.ts";
import type { RetryOptions } from "../../../sdk/target-settings.ts";
import { onMismatchSchema, rateSchema } from "./endpoint.ts";

/**
 * The options of definitions, each once: its values, its default, and the diagnostic of the build for other values. The
 * build checks definitions with them and makes the manifest with them, and the manifest is read with them. The
 * docstrings of the options are in the SDK.
 */
interface Option {
  /** Parses a written value into that of the manifest, where an absent option has its default. */
  schema: z.ZodType;
  code: string;
  /** The values that it can have. */
  text: string;
  fix: string;
}

/** How a workflow is tried again. `initialMs` doubles up to `maxMs` when exponential. */
export const retryPolicySchema = z.object({
  attempts: z.int().min(1).max(100),
  backoff: z.enum(["exponential", "fixed"]),
  initialMs: z.int().min(0),
  maxMs: z.int().min(0),
});

export type RetryPolicy = z.infer<typeof retryPolicySchema>;

/** The build on which open runs continue: the one that accepted them, or the current one. */
export const versionPolicySchema = z.enum(["pin", "latest"]);

const countSchema = () => z.int().min(1).nullable().default(null);

/** Milliseconds, at least one. */
const durationSchema = (byDefault: Duration) =>
  z
    .custom<Duration>(isTimeout)
    .transform((duration) => parseDuration(duration) ?? 1)
    .prefault(byDefault);

export function isTimeout(timeout: unknown): boolean {
  return (parseDuration(timeout) ?? 0) >= 1;
}

const defaultAttempts = 3;

/** The messages of its custom issues are predicates. */
const retriesSchema = z
  .custom<RetryOptions>()
  .check(({ value, issues }) => {
    const retries: unknown = value;
    if (typeof retries !== "object" || retries === null || Array.isArray(retries)) {
      issues.push({ code: "custom", input: value, message: `is ${showOption(value)}` });
      return;
    }
    const { attempts = defaultAttempts, ...delays }: Readonly<Record<string, unknown>> = { ...retries };
    const unknown = Object.keys(delays).filter((name) => !delayNames.includes(name));
    if (unknown.length > 0) issues.push({ code: "unrecognized_keys", keys: unknown, input: { ...retries } });
    const problems = findDelayProblems(delays);
    if (!retryPolicySchema.shape.attempts.safeParse(attempts).success)
      problems.unshift({ property: "attempts", predicate: `is ${showOption(attempts)}` });
    for (const { property, predicate } of problems)
      issues.push({ code: "custom", input: value, path: [property], message: predicate });
  })
  .transform(({ attempts = defaultAttempts, ...delays }): RetryPolicy => ({ attempts, ...readDelays(delays) }))
  .prefault({});

/** How many runs of a target may be concurrent; see `concurrency` in the SDK. `null`: any number. */
export interface Concurrency {
  limit: number | null;
  perKey: number | null;
  whileWaiting: "hold" | "release";
  onFailure: "continue" | "block";
}

export const concurrencyChoices = {
  whileWaiting: z.enum(["hold", "release"]),
  onFailure: z.enum(["continue", "block"]),
};

const concurrencyOptionsSchema = z.strictObject({
  limit: countSchema(),
  perKey: countSchema(),
  whileWaiting: concurrencyChoices.whileWaiting.optional(),
  onFailure: concurrencyChoices.onFailure.default("continue"),
});

/** A number is the `limit`. `null`: the target limits nothing. */
const concurrencySchema = z
  .union([
    z
      .int()
      .min(1)
      .transform((limit) => ({ limit })),
    z.custom<z.input<typeof concurrencyOptionsSchema>>((value) => typeof value === "object"),
  ])
  .pipe(concurrencyOptionsSchema)
  .check(({ value, issues }) => {
    const { limit, perKey, onFailure } = value;
    // A misspelt option says more.
    if (issues.length > 0) return;
    const add = (message: string, path: string[] = []) => issues.push({ code: "custom", input: value, path, message });
    if (limit === null && perKey === null) add("has neither limit nor perKey");
    else if (onFailure === "block" && perKey !== 1) add('is "block" without perKey: 1', ["onFailure"]);
    else if (limit !== null && perKey !== null && perKey > limit) add(`is ${perKey}, more than limit`, ["perKey"]);
  })
  .transform(({ limit, perKey, whileWaiting, onFailure }): Concurrency => ({
    limit,
    perKey,
    whileWaiting: whileWaiting ?? (perKey === null ? "release" : "hold"),
    onFailure,
  }))
  .nullable()
  .default(null);

/** Of workflows and agents. */
const targetOptions = {
  concurrency: {
    schema: concurrencySchema,
    code: "invalid_concurrency",
    text: 'concurrency is a whole number from 1: the maximum number of concurrent runs. It can also be an object with limit and perKey (whole numbers from 1), whileWaiting ("hold" or "release") and onFailure ("continue", or "block" with perKey: 1).',
    fix: "Correct the value, or omit it. Examples: concurrency: 10, concurrency: { perKey: 1 }. Default: no limit.",
  },
  maxQueued: {
    schema: countSchema(),
    code: "invalid_max_queued",
    text: "maxQueued is the maximum number of queued runs of the workflow or agent: a whole number from 1. Webhooks that would exceed it are rejected.",
    fix: "Correct the value, or omit it. Default: no limit.",
  },
  versions: {
    schema: versionPolicySchema.default("pin"),
    code: "invalid_versions",
    text: 'versions is "pin" (open runs continue on the build that accepted them) or "latest" (they continue on the current build).',
    fix: 'Correct the value, or omit it. Default: "pin".',
  },
} as const satisfies Record<string, Option>;

const timeoutProblem = {
  code: "invalid_timeout",
  text: 'timeout and callTimeout are durations: a number with a unit, e.g. "250ms", "30s", "5m", "1.5h", "7d", or milliseconds, at most 100 years ("36525d").',
  fix: "Correct the value.",
} as const;

export const workflowOptions = {
  retries: {
    schema: retriesSchema,
    code: "invalid_retries",
    text: 'retries has the options attempts (1 to 100), backoff ("exponential" or "fixed"), initialDelay and maxDelay (durations such as "10s"). initialDelay must not be longer than maxDelay.',
    fix: "Correct the value.",
  },
  timeout: { schema: durationSchema("1h"), ...timeoutProblem },
  ...targetOptions,
} as const satisfies Record<string, Option>;

export const agentOptions = {
  timeout: workflowOptions.timeout,
  callTimeout: { schema: durationSchema("5m"), ...timeoutProblem },
  maxSteps: {
    schema: z.int().min(1).default(20),
    code: "invalid_max_steps",
    text: "maxSteps is the maximum number of model calls per run: a whole number from 1.",
    fix: "Example: maxSteps: 10.",
  },
  maxToolCalls: {
    schema: z.strictObject({ perAnswer: z.int().min(1).default(20), perRun: z.int().min(1).default(100) }).prefault({}),
    code: "invalid_max_tool_calls",
    text: "maxToolCalls is the maximum number of tool calls per model response and per run: whole numbers from 1.",
    fix: "Example: maxToolCalls: { perAnswer: 20, perRun: 100 }.",
  },
  budget: {
    schema: z.strictObject({ tokens: countSchema(), usd: z.number().positive().nullable().default(null) }).prefault({}),
    code: "invalid_budget",
    text: "budget has the options tokens (a whole number from 1) and usd (a number above 0).",
    fix: "Example: budget: { tokens: 50_000, usd: 0.25 }.",
  },
  ...targetOptions,
} as const satisfies Record<string, Option>;

/** Of webhook sources. The other options depend on each other: the build has a check for each. */
export const endpointOptions = {
  rateLimit: {
    schema: rateSchema.nullable().default(null),
    code: "invalid_rate_limit",
    text: 'rateLimit is the maximum rate of requests to the endpoint: { requests: 100, per: "minute" }, with 1 to 1,000,000 requests per second, minute or hour.',
    fix: "Correct the value, or omit it. Default: no limit.",
  },
  onMismatch: {
    schema: onMismatchSchema.nullable().default(null),
    code: "invalid_on_mismatch",
    text: 'onMismatch is "reject" (422) or "skip" (200): the response to a body that matches the request schema of no trigger on the endpoint. "hold" (202) keeps every request that starts no run, to release it later.',
    fix: "Correct the value, or omit it. Default: reject if the endpoint has one trigger, otherwise skip.",
  },
} as const satisfies Record<string, Option>;

const allOptions = { ...workflowOptions, ...agentOptions, ...endpointOptions };

export type OptionCode = (typeof allOptions)[keyof typeof allOptions]["code"];

/** The diagnostics of the build for invalid options. */
export const optionDiagnostics = Object.fromEntries(
  Object.values(allOptions).map(({ code, text, fix }) => [code, { text, fix }]),
) as Record<OptionCode, { text: string; fix: string }>;

type Shape<Table extends Readonly<Record<string, Option>>> = { [Name in keyof Table]: Table[Name]["schema"] };

function shapeOf<Table extends Readonly<Record<string, Option>>>(options: Table): Shape<Table> {
  return Object.fromEntries(Object.entries(options).map(([name, { schema }]) => [name, schema])) as Shape<Table>;
}

/** Parse the written options of a definition. In the manifest, retries and durations have another form. */
export const workflowOptionsSchema = z.object(shapeOf(workflowOptions));
export const agentOptionsSchema = z.object(shapeOf(agentOptions));
export const endpointOptionsSchema = z.object(shapeOf(endpointOptions));

/** Why a written value of an option is invalid: the path of the value in the option, and a predicate. */
export function findOptionProblems(option: Option, value: unknown): { path: string[]; predicate: string }[] {
  if (value === undefined) return [];
  // Only a manifest has `null`, for an absent option.
  if (value === null) return [{ path: [], predicate: "is null" }];
  const nulls = Object.entries(Object(value)).filter(([, part]) => part === null);
  const issues = option.schema.safeParse(value).error?.issues ?? [];
  return [
    ...nulls.map(([name]) => ({ path: [name], predicate: "is null" })),
    ...issues.flatMap((issue) => {
      const path = issue.path.map(String);
      if (issue.code === "unrecognized_keys")
        return issue.keys.map((key) => ({ path: [...path, key], predicate: "is not an option" }));
      const part = path.reduce<unknown>((inside, name) => Object(inside)[name], value);
      if (part === null && path.length > 0) return [];
      const isOwn = issue.code === "custom" && issue.message !== "Invalid input";
      return [
        { path, predicate: isOwn ? issue.message : part === undefined ? "is missing" : `is ${showOption(part)}` },
      ];
    }),
  ];
}
