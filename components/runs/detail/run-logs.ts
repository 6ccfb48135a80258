import type { LogLevel, TimelineEntry } from "../../../server/contract/timeline.ts";

/** From the least to the most severe. */
export const logLevels = ["debug", "info", "warn", "error"] as const satisfies readonly LogLevel[];

/** The log lines of at least this level that contain the text, in their message or in their data. */
export function filterLogs(
  logs: readonly TimelineEntry[],
  { level, text }: { level: LogLevel; text: string },
): readonly TimelineEntry[] {
  const shown = new Set<LogLevel>(logLevels.slice(logLevels.indexOf(level)));
  const needle = text.toLowerCase();
  return logs.filter(
    (log) => shown.has(log.level ?? "info") && (needle === "" || textOf(log).toLowerCase().includes(needle)),
  );
}

/** The lines as text: `2026-11-21T14:02:11.348Z WARN The gate is open {"attempt":2}`. */
export function printLogs(logs: readonly TimelineEntry[]): string {
  return logs.map((log) => `${log.at} ${(log.level ?? "info").toUpperCase()} ${textOf(log)}\n`).join("");
}

function textOf({ message, data }: TimelineEntry): string {
  return [message ?? "", data === null ? "" : JSON.stringify(data)].filter((part) => part !== "").join(" ");
}
