import { z } from "zod";
import { runFilterSchema } from "../../../server/contract/filters.ts";
import { type ActedRuns, bulkPageSchema } from "../../../server/contract/run-bulk.ts";
import { formatCount } from "../../../server/shared/format.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { usageFailure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { createProgressLine } from "../../terminal/progress-line.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext } from "../command-context.ts";
import { readFilterOptions, withFilterOptions } from "../filter-options.ts";
import { parseBulkLimit } from "../options.ts";
import { notifyIfIdle } from "./read-runs.ts";

/** With the fields of the filter. */
export interface BulkOptions {
  limit?: number;
  dryRun?: boolean;
}

type BulkAction = "resume" | "replay";

const words = {
  resume: { done: "Resumed", wouldDo: "Would resume", label: "resuming" },
  replay: { done: "Replayed", wouldDo: "Would replay", label: "replaying" },
} as const;

const perCall = 50;
const maxFailures = 20;

/** Adds the options that select runs. */
export function withBulkOptions(command: CliCommand): CliCommand {
  return withFilterOptions(command, runFilterSchema)
    .option("--limit <number>", "Maximum number of runs, the newest first", parseBulkLimit)
    .option("--dry-run", "Show the runs, and change nothing");
}

/** Whether the command is about one run. Throws a usage Failure if it is about none, or about one and several. */
export function isAboutOne(id: string | undefined, { limit, dryRun, ...filter }: BulkOptions): id is string {
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const isBulk = hasFilter || limit !== undefined || dryRun !== undefined;
  if (id !== undefined && isBulk) throw usageFailure("Name one run, or select runs with options, but not both.");
  if (id === undefined && !hasFilter)
    throw usageFailure(
      "No run is selected.",
      "Add the id of a run, or select runs with options, e.g. --trigger, --status, --since or --unresolved.",
    );
  return id !== undefined;
}

/**
 * Resumes or replays the selected runs, call by call. Ctrl-C ends the command after the current call; a second one ends
 * it at once. Prints the ids of the runs on stdout.
 */
export async function actInBulk(context: CommandContext, action: BulkAction, options: BulkOptions): Promise<number> {
  const api = await context.api();
  const { limit = Infinity, dryRun = false, ...fields } = options;
  const filter = {
    ...readFilterOptions(fields, runFilterSchema, context.now()),
    ...(action === "resume" ? { unresolved: true } : {}),
  };
  const progress = createProgressLine(context.terminal.err, context.now);
  const total = context.isJson ? 0 : await countRuns(api, filter);
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once("SIGINT", onSignal);
  const acted = await actOnAll(api, { action, filter, dryRun }, { limit, signal: stop.signal }, (so) => {
    const done = so.done + so.skipped.length + so.failed.length;
    if (!context.isJson)
      progress.show({ label: words[action].label, done, of: Math.max(Math.min(total, limit), done), unit: "runs" });
  }).finally(() => {
    process.off("SIGINT", onSignal);
    progress.clear();
  });
  context.print({
    document: { action, isDryRun: dryRun, ...acted },
    text: () => acted.runs.map(({ id, replayedAs }) => `${replayedAs ?? id}\n`).join(""),
  });
  if (!context.isJson) report(context, { action, dryRun, acted });
  if (stop.signal.aborted) return 130;
  return acted.failed.length > 0 ? 1 : 0;
}

const countAnswer = z.object({ count: z.int(), isCapped: z.boolean() });

async function countRuns(api: ApiClient, query: Record<string, string | number | boolean>): Promise<number> {
  return (await api.request({ path: "/runs/count", query, answer: countAnswer })).count;
}

interface Acted extends ActedRuns {
  /** All selected runs were processed. */
  isComplete: boolean;
}

async function actOnAll(
  api: ApiClient,
  request: { action: BulkAction; filter: object; dryRun: boolean },
  options: { limit: number; signal: AbortSignal },
  onProgress: (soFar: ActedRuns) => void,
): Promise<Acted> {
  const acted: Acted = { done: 0, runs: [], skipped: [], failed: [], isComplete: false };
  let from: { until?: string; cursor: string | null } = { cursor: null };
  while (!options.signal.aborted && acted.done < options.limit) {
    const limit = Math.min(perCall, options.limit - acted.done);
    const page = await api.request({
      method: "POST",
      path: "/runs/bulk",
      body: { ...request, ...from, limit },
      answer: bulkPageSchema,
    });
    acted.done += page.done;
    acted.runs.push(...page.runs);
    acted.skipped.push(...page.skipped);
    acted.failed.push(...page.failed);
    onProgress(acted);
    if (page.nextCursor === null) return { ...acted, isComplete: true };
    from = { until: page.until, cursor: page.nextCursor };
  }
  return acted;
}

function report(
  context: CommandContext,
  { action, dryRun, acted }: { action: BulkAction; dryRun: boolean; acted: Acted },
): void {
  const { done, wouldDo } = words[action];
  const parts = [`${dryRun ? wouldDo : done} ${formatCount(acted.done, "run")}.`];
  if (acted.skipped.length > 0) parts.push(`${formatCount(acted.skipped.length, "run")} skipped.`);
  if (acted.failed.length > 0) parts.push(`${formatCount(acted.failed.length, "run")} failed:`);
  context.notify(parts.join(" "));
  for (const { id, message } of acted.failed.slice(0, maxFailures))
    context.notify(`  ${id}  ${plainLine(message, 200)}`);
  if (acted.failed.length > maxFailures) context.notify(`  and ${acted.failed.length - maxFailures} more`);
  if (!acted.isComplete)
    context.notify(
      dryRun
        ? "There are more runs beyond the limit."
        : "There are more runs. Run the same command again to continue: no run is processed twice.",
    );
  if (acted.done > 0 && !dryRun) notifyIfIdle(context);
}
