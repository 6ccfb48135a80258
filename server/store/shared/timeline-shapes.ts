import type { Json } from "../../contract/json.ts";
import type { RunError } from "../../contract/run.ts";
import type { LogLevel, TimelineEntry, TimelineKind } from "../../contract/timeline.ts";
import { toIso, toIsoOrNull } from "./iso-time.ts";

export interface RunEventRow {
  id: number;
  at: number;
  kind: TimelineKind;
  attempt: number;
  name: string | null;
  level: LogLevel | null;
  message: string | null;
  durationMs: number | null;
  until: number | null;
  error: RunError | null;
  data: Json | null;
}

export function toTimelineEntry(row: RunEventRow): TimelineEntry {
  const { id, kind, attempt, name, level, message, durationMs, error, data } = row;
  return {
    id,
    at: toIso(row.at),
    kind,
    attempt,
    name,
    level,
    message,
    durationMs,
    until: toIsoOrNull(row.until),
    error,
    data,
  };
}
