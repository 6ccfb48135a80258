import { Option } from "commander";
import { z } from "zod";
import { type ActedRuns, bulkPageSchema } from "../../../server/contract/run-filter.ts";
import { type RunStatus, runStatusSchema } from "../../../server/contract/run.ts";
import { formatCount } from "../../../server/domain/format.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { usageFailure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import { createProgressLine } from "../../terminal/progress-line.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext } from "../command-context.ts";
import { parseSince, type Since, parseBulkLimit, startOfPeriod } from "../options.ts";
import { notifyIfIdle } from "./read-runs.ts";

export interface BulkOptions {
  trigger?: string;
  target?: string;
  status?: RunStatus;
  since?: Since;
  unresolved?: boolean;
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
  command
    .option("--trigger <slug>", "All runs of this trigger")
    .option("--target <slug>", "All runs of this workflow or agent")
    .addOption(new Option("--status <status>", "All runs with this status").choices(runStatusSchema.options))
    .option("--since <duration>", "All runs of this last period, e.g. 1h, or since an ISO 8601 time", parseSince)
    .option("--unresolved", "All runs that failed or timed out and have no replay")
    .option("--limit <number>", "Maximum number of runs, the newest first", parseBulkLimit)
    .option("--dry-run", "Show the runs, and change nothing");
  return command;
}

/** Whether the command is about one run. Throws a usage Failure if it is about none, or about one and several. */
export function isAboutOne(id: string | undefined, { limit, dryRun, ...filter }: BulkOptions): id is string {
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const isBulk = hasFilter || limit !== undefined || dryRun !== undefined;
  if (id !== undefined && isBulk) throw usageFailure("Name one run, or select runs with options, but not both.");
  if (id === undefined && !hasFilter)
    throw usageFailure(
      "No run is selected.",
      "Add the id of a run, or select runs with --trigger, --target, --status, --since or --unresolved.",
    );
  return id !== undefined;
}

/**
 * Resumes or replays the selected runs, call by call. Ctrl-C ends the command after the current call; a second one ends
 * it at once. Prints the ids of the runs on stdout.
 */
export async function actInBulk(context: CommandContext, action: BulkAction, options: BulkOptions): Promise<number> {
  const api = await context.api();
  const { since, limit = Infinity, dryRun = false, ...given } = options;
  const filter = {
    ...given,
    since: startOfPeriod(since, context.now()),
    unresolved: action === "resume" || given.unresolved ? true : undefined,
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

async function countRuns(api: ApiClient, filter: Record<string, string | boolean | undefined>): Promise<number> {
  const query = Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, value?.toString()]));
  return (await api.request({ path: "/runs/count", query, answer: countAnswer })).count;
}

interface Acted extends ActedRuns {
  /** All selected runs were processed. */
  isComplete: boolean;
}

async function actOnAll(
  api: ApiClient,
  request: { action: BulkAction; filter: object; dryRun: boolean },
  p: { limit: number; signal: AbortSignal },
  onProgress: (soFar: ActedRuns) => void,
): Promise<Acted> {
  const acted: Acted = { done: 0, runs: [], skipped: [], failed: [], isComplete: false };
  let from: { until?: string; cursor: string | null } = { cursor: null };
  while (!p.signal.aborted && acted.done < p.limit) {
    const limit = Math.min(perCall, p.limit - acted.done);
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
