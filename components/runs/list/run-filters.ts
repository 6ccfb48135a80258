import type { inferParserType } from "nuqs/server";
import type { z } from "zod";
import { runFilterSchema } from "../../../server/contract/filters.ts";
import type { RunStatus, RunSummary } from "../../../server/contract/run.ts";
import type { Window } from "../../../server/contract/traffic.ts";
import { formatTokens, formatUsd, windowNames } from "../../../server/shared/format.ts";
import { frameOf, windowMs, windows } from "../../histogram/buckets.ts";
import {
  type ActiveFilter,
  describeActive,
  type FieldOfPage,
  formatFilterTime,
  growsOnTop,
  isSet,
  parsersOf,
} from "../../list/filters/active-filters.ts";

export type RunFilter = z.input<typeof runFilterSchema>;

const fields: Record<keyof RunFilter, FieldOfPage> = {
  status: { label: (value) => value.replace("_", " "), isMutable: true },
  trigger: { label: (value) => `trigger ${value}` },
  target: { label: (value) => `target ${value}` },
  targetKind: { label: (value) => `${value}s only` },
  key: { label: (value) => `key ${value}` },
  version: { label: (value) => `version ${value.slice(0, 8)}` },
  /** In the URL: a time in ISO 8601, or a preset: that long ago. */
  since: {
    label: (value) => (isTimePreset(value) ? `last ${windowNames[value]}` : `since ${formatFilterTime(value)}`),
  },
  until: { label: (value) => `before ${formatFilterTime(value)}` },
  text: { label: (value) => `contains “${value}”` },
  delivery: { label: (value) => `delivery ${value}` },
  replayOf: { label: (value) => `replays of ${value}` },
  failureOf: { label: (value) => `onFailure of ${value}` },
  childOf: { label: (value) => `children of ${value}` },
  minTokens: { label: (value) => `${formatTokens(Number(value))} or more`, isMutable: true },
  minCostUsd: { label: (value) => `${formatUsd(Number(value))} or more`, isMutable: true },
  needsApproval: { label: () => "waits for approval", isMutable: true },
  waitsForKey: { label: () => "waits for its key", isMutable: true },
  waitsForEvent: { label: (value) => `waits for ${value}`, isMutable: true },
  unresolved: { label: () => "unresolved", isMutable: true },
};

const names = Object.keys(fields) as (keyof RunFilter)[];

export const runFilterParsers = parsersOf(runFilterSchema);

export type RunFilterState = inferParserType<typeof runFilterParsers>;

export const timePresets = { "15m": 15, "1h": 60, "24h": 24 * 60, "7d": 7 * 24 * 60 } as const;
type TimePreset = keyof typeof timePresets;

const minuteMs = 60_000;

/**
 * The filter at the time `now`. Presets become times, rounded to the minute so that the query key does not change every
 * second. Every other value is sent as it is in the URL: the server accepts what the API accepts, and rejects the rest.
 */
export function toRunFilter(state: RunFilterState, now: number): RunFilter {
  const given = names.flatMap((name) => {
    const value = name === "since" || name === "until" ? momentOf(state[name], now) : state[name];
    return isSet(value) ? [[name, typeof value === "string" ? value.slice(0, 200) : value] as const] : [];
  });
  return Object.fromEntries(given);
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

export function growsByNewRuns(filter: RunFilter): boolean {
  return growsOnTop(fields, filter);
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
export function activeFilters(state: RunFilterState): ActiveFilter<keyof RunFilter>[] {
  return describeActive(fields, state);
}

/** The runs that wait for another run with the same key. */
export function waitingForKeyHref({ key, target }: Pick<RunSummary, "key" | "target">): string {
  return `/runs?${new URLSearchParams({ target: target.slug, key: key ?? "", waitsForKey: "true" })}`;
}

/** The runs that a run called or started. */
export function childrenHref(runId: string, status?: RunStatus): string {
  return `/runs?${new URLSearchParams({ childOf: runId, ...(status && { status }) })}`;
}

/** The runs that wait for an event of a source. */
export function waitingForEventHref(source: string): string {
  return `/runs?waitsForEvent=${encodeURIComponent(source)}`;
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
