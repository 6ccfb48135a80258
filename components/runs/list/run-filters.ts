import {
  type inferParserType,
  parseAsBoolean,
  parseAsFloat,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
} from "nuqs/server";
import type { RunStatus } from "../../../server/contract/run.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatTokens, formatUsd, windowNames } from "../../../server/domain/format.ts";
import { frameOf, windowMs, windows } from "../../histogram/buckets.ts";
import { type ActiveFilter, formatFilterTime } from "../../list/filters/active-filters.ts";

export const statuses = [
  "queued",
  "running",
  "waiting",
  "completed",
  "failed",
  "canceled",
  "timed_out",
] as const satisfies readonly RunStatus[];

/** The filters of the run list in the URL. */
export const runFilterParsers = {
  status: parseAsStringLiteral(statuses),
  trigger: parseAsString,
  target: parseAsString,
  version: parseAsString,
  /** A time in ISO 8601, or a preset: that long ago. */
  since: parseAsString,
  until: parseAsString,
  text: parseAsString,
  delivery: parseAsString,
  replayOf: parseAsString,
  failureOf: parseAsString,
  minTokens: parseAsInteger,
  minCostUsd: parseAsFloat,
  /** Only runs that wait for an approval. */
  needsApproval: parseAsBoolean,
  /** Only runs that failed and have no replay. */
  unresolved: parseAsBoolean,
};

export type RunFilterState = inferParserType<typeof runFilterParsers>;
export type RunFilterKey = keyof RunFilterState;

/** The filter of the API. */
export type RunFilter = { [key in TextKey]?: string } & {
  status?: RunStatus;
  minTokens?: number;
  minCostUsd?: number;
  needsApproval?: true;
  unresolved?: true;
};

type TextKey = Exclude<RunFilterKey, "status" | "minTokens" | "minCostUsd" | "needsApproval" | "unresolved">;

export const timePresets = { "15m": 15, "1h": 60, "24h": 24 * 60, "7d": 7 * 24 * 60 } as const;
type TimePreset = keyof typeof timePresets;

const minuteMs = 60_000;

/**
 * The filter at the time `now`. Presets become times, rounded to the minute so that the query key does not change every
 * second. Every other value is sent as it is in the URL: the server accepts what the API accepts, and rejects the rest.
 */
export function toRunFilter(state: RunFilterState, now: number): RunFilter {
  const filter: RunFilter = {};
  if (state.status) filter.status = state.status;
  for (const key of ["trigger", "target", "version", "text", "delivery", "replayOf", "failureOf"] as const)
    if (state[key]) filter[key] = state[key].slice(0, 200);
  if (state.minTokens !== null) filter.minTokens = state.minTokens;
  if (state.minCostUsd !== null) filter.minCostUsd = state.minCostUsd;
  if (state.needsApproval) filter.needsApproval = true;
  if (state.unresolved) filter.unresolved = true;
  const since = momentOf(state.since, now);
  const until = momentOf(state.until, now);
  if (since) filter.since = since;
  if (until) filter.until = until;
  return filter;
}

/** The window of the list and of its histogram; `null`: any time, or a chosen range. */
export function windowOf(state: RunFilterState): Window | null {
  return isTimePreset(state.since) && state.until === null ? state.since : null;
}

/** The filter of the histogram: over the window, or over the shortest one that has the chosen range. */
export function histogramInput(state: RunFilterState, now: number) {
  const { since: _, until: __, ...on } = toRunFilter(state, now);
  const preset = windowOf(state);
  if (preset) return { ...on, window: preset };
  const { since = null, until = null } = toRunFilter(state, now);
  const window = windows.find((one) => since !== null && Date.parse(since) >= now - windowMs[one]) ?? "7d";
  return { ...on, ...frameOf({ window, now, since, until }) };
}

/** Whether no older run can begin to match the filter. */
export function growsOnTop(filter: RunFilter): boolean {
  return filter.status === undefined && filter.unresolved === undefined && !isOfAgents(filter);
}

/** Whether the filter itself selects only runs of agents. */
export function isOfAgents(filter: RunFilter): boolean {
  return filter.minTokens !== undefined || filter.minCostUsd !== undefined || filter.needsApproval === true;
}

export function isTimePreset(value: string | null): value is TimePreset {
  return value !== null && Object.hasOwn(timePresets, value);
}

function momentOf(value: string | null, now: number): string | null {
  if (!isTimePreset(value)) return value;
  return new Date(Math.floor(now / minuteMs) * minuteMs - timePresets[value] * minuteMs).toISOString();
}

/** The URL that exports the same runs as a file. */
export function exportHref(filter: RunFilter, format: "csv" | "jsonl"): string {
  const query = new URLSearchParams({ format });
  for (const [key, value] of Object.entries(filter)) query.set(key, String(value));
  return `/api/v1/runs/export?${query}`;
}

/** The active filters with the labels of their chips. */
export function activeFilters(state: RunFilterState): ActiveFilter<RunFilterKey>[] {
  const labels: Record<RunFilterKey, (value: string) => string> = {
    status: (value) => value.replace("_", " "),
    trigger: (value) => `trigger ${value}`,
    target: (value) => `target ${value}`,
    version: (value) => `version ${value.slice(0, 8)}`,
    since: (value) => (isTimePreset(value) ? `last ${windowNames[value]}` : `since ${formatFilterTime(value)}`),
    until: (value) => `before ${formatFilterTime(value)}`,
    text: (value) => `contains “${value}”`,
    delivery: (value) => `delivery ${value}`,
    replayOf: (value) => `replays of ${value}`,
    failureOf: (value) => `onFailure of ${value}`,
    minTokens: (value) => `${formatTokens(Number(value))} or more`,
    minCostUsd: (value) => `${formatUsd(Number(value))} or more`,
    needsApproval: () => "waits for approval",
    unresolved: () => "unresolved",
  };
  const names = Object.keys(labels) as RunFilterKey[];
  return names.flatMap((name) => {
    const value = state[name];
    // A minimum of 0 is a filter, too.
    return value || value === 0 ? [{ name, label: labels[name](String(value)) }] : [];
  });
}

/** The runs of a target that wait for an approval. */
export function waitingHref(target: string): string {
  return `/runs?target=${encodeURIComponent(target)}&needsApproval=true`;
}

/** A time as the value of `<input type="datetime-local">`: the reader's time zone, to the second. Empty: no valid time. */
export function localInputOf(moment: string | null): string {
  const ms = moment === null ? Number.NaN : Date.parse(moment);
  if (Number.isNaN(ms)) return "";
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}

/** The time of such an input in ISO 8601. */
export function momentOfInput(value: string): string | null {
  const ms = Date.parse(value);
  return value === "" || Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
