import type { LogLevel } from "../../../server/contract/timeline.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { logLevels } from "../detail/run-logs.ts";
import type { WaterfallRow } from "./waterfall.ts";

export type LogFilter = "all" | "warn" | "none";

/** Consecutive rows of one kind, shown as one row until it is opened. */
export interface RowGroup {
  kind: "group";
  key: string;
  of: "log" | "reused";
  label: string;
  rows: WaterfallRow[];
  /** The highest level among its log lines. */
  level: LogLevel;
  isOpen: boolean;
}

export type ShownRow = WaterfallRow | RowGroup;

/** More consecutive rows than this become a group. */
const maxUngrouped = { log: 12, reused: 4 };

/**
 * The visible rows: filtered logs, long sequences of logs and of reused steps as groups. Groups in `opened` include
 * their rows.
 */
export function groupRows(
  rows: readonly WaterfallRow[],
  { logs, opened }: { logs: LogFilter; opened: ReadonlySet<string> },
): ShownRow[] {
  const shown: ShownRow[] = [];
  for (const sequence of splitSequences(rows.filter((row) => passes(row, logs)))) {
    const [first] = sequence;
    if (!first || !isGrouped(first.kind) || sequence.length <= maxUngrouped[first.kind]) {
      shown.push(...sequence);
      continue;
    }
    const key = `group:${first.key}`;
    const isOpen = opened.has(key);
    shown.push({
      kind: "group",
      key,
      of: first.kind,
      label: labelOf(first.kind, sequence.length),
      rows: sequence,
      level: worstLevel(sequence),
      isOpen,
    });
    if (isOpen) shown.push(...sequence);
  }
  return shown;
}

function passes(row: WaterfallRow, logs: LogFilter): boolean {
  if (row.kind !== "log" || logs === "all") return true;
  return logs === "warn" && (row.entry.level === "warn" || row.entry.level === "error");
}

function isGrouped(kind: WaterfallRow["kind"]): kind is "log" | "reused" {
  return kind === "log" || kind === "reused";
}

function splitSequences(rows: readonly WaterfallRow[]): WaterfallRow[][] {
  const sequences: WaterfallRow[][] = [];
  for (const row of rows) {
    const last = sequences.at(-1);
    if (last && last[0]?.kind === row.kind && isGrouped(row.kind)) last.push(row);
    else sequences.push([row]);
  }
  return sequences;
}

function labelOf(kind: "log" | "reused", count: number): string {
  return kind === "log" ? formatCount(count, "log line") : `${formatCount(count, "step")} reused`;
}

function worstLevel(rows: readonly WaterfallRow[]): LogLevel {
  const worst = Math.max(...rows.map(({ entry }) => logLevels.indexOf(entry.level ?? "info")));
  return logLevels[worst] ?? "info";
}
