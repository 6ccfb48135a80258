import { z } from "zod";
import type { Json } from "../../../server/contract/json.ts";
import {
  type Run,
  runSchema,
  childFinishedSchema,
  childStartedSchema,
  waitFinishedSchema,
  waitStartedSchema,
} from "../../../server/contract/run.ts";
import { type TimelineEntry, timelineEntrySchema, type TimelineKind } from "../../../server/contract/timeline.ts";
import { formatLocalTime, formatDuration, formatRelativeTime } from "../../../server/shared/format.ts";
import { describeEvents, describeWait } from "../../../server/shared/runs/describe-wait.ts";
import { pageSchema } from "../../../server/contract/list.ts";
import { readNewestEntries } from "../../../server/domain/runs/newest-entries.ts";
import { apiPath } from "../../../server/contract/api-request.ts";
import type { Paint } from "../../terminal/terminal.ts";
import { plainLine, plainText } from "../../terminal/plain-text.ts";
import { renderMark, runMarks } from "../../terminal/status-marks.ts";
import { renderPairs, renderTable } from "../../terminal/table.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { cursorOption, limitOption, notifyOlder, type PageOptions } from "../options.ts";
import { aboutRun, findsRuns, notifyIfIdle, waitForRun } from "./read-runs.ts";

const words: Record<TimelineKind, string> = {
  queued: "queued",
  attempt_started: "attempt started",
  attempt_failed: "attempt failed",
  retry_scheduled: "retry scheduled",
  resumed: "resumed",
  step_started: "step started",
  step_completed: "step completed",
  step_failed: "step failed",
  step_reused: "step reused",
  sleep_started: "sleep started",
  sleep_finished: "sleep finished",
  wait_started: "wait started",
  wait_finished: "wait finished",
  child_started: "child started",
  child_finished: "child finished",
  approval_requested: "approval requested",
  approval_decided: "approval decided",
  worker_lost: "worker lost",
  cancel_requested: "cancel requested",
  resume_requested: "resumed by a person",
  key_released: "canceled by a person: its key is released",
  log: "log",
  completed: "completed",
  failed: "failed",
  canceled: "canceled",
  timed_out: "timed out",
};

export function registerRunsGet(runs: CliCommand, runner: CommandRunner): void {
  runs
    .subcommand("get", "Show one run: status, timeline, input, output and error", [
      "signalbox runs get run_01K9ZR7M3QD4V8XN2T5B6C7E8F --wait",
      "signalbox runs get run_01K9ZR7M3QD4V8XN2T5B6C7E8F --limit 20",
    ])
    .argument("<id>", "Id of the run")
    .option(...limitOption("timeline entries", 100))
    .option(...cursorOption)
    .option("--wait", "Wait until the run ends. Exit code 1 unless it completed")
    .option("--reveal", "Show the recorded values of sensitive fields. The audit log records it")
    .action(runner.action(getRun));
}

const timelineAnswer = pageSchema(timelineEntrySchema);

async function getRun(
  context: CommandContext,
  id: string,
  options: Partial<PageOptions> & { wait?: boolean; reveal?: boolean },
): Promise<number> {
  const api = await context.api();
  let run = await aboutRun(api, id, () =>
    api.request({ path: apiPath`/runs/${id}`, answer: runSchema, notFoundFix: findsRuns }),
  );
  if (options.wait && run.finishedAt === null) {
    notifyIfIdle(context);
    run = await waitForRun(api, id);
  }
  if (options.reveal) run = await api.request({ method: "POST", path: apiPath`/runs/${id}/reveal`, answer: runSchema });
  const { limit = 100, cursor: before } = options;
  const { entries: timeline, olderCursor } = context.isJson
    ? { entries: [], olderCursor: null }
    : await readNewestEntries(
        (cursor) =>
          api.request({ path: apiPath`/runs/${id}/timeline`, query: { limit: 100, cursor }, answer: timelineAnswer }),
        { limit, before },
      );
  // A part of a long timeline is shown like a list.
  const isPart = olderCursor !== null || before !== undefined;
  context.print({
    document: run,
    text: () =>
      renderRun({
        run,
        timeline: isPart ? timeline.toReversed() : timeline,
        paint: context.terminal.out.paint,
        now: context.now(),
      }),
  });
  notifyOlder(context, "timeline entries", { nextCursor: olderCursor });
  if (!context.isJson && run.isMasked)
    context.notify(`Sensitive values are masked. \`signalbox runs get ${id} --reveal\` shows them.`);
  if (
    run.status === "waiting" &&
    before === undefined &&
    timeline.findLast(({ kind }) => kind.startsWith("approval_"))?.kind === "approval_requested"
  )
    context.notify(`Waiting for approval: signalbox runs approve ${run.id} (or deny)`);
  return options.wait && run.status !== "completed" ? 1 : 0;
}

/** One run for a person: status, timeline, input, output and error. Ends with a newline. */
function renderRun(details: { run: Run; timeline: readonly TimelineEntry[]; paint: Paint; now: number }): string {
  const { run, timeline, paint } = details;
  const blocks = [
    `${renderMark(runMarks[run.status], paint)}  ${paint("strong", run.id)}\n`,
    renderFacts(details),
    timeline.length > 0 ? renderTimeline(timeline, paint) : "",
    renderJson("input", run.input, paint),
    renderJson("output", run.output, paint),
    run.error ? renderError(run.error, paint) : "",
  ];
  return blocks.filter((block) => block !== "").join("\n");
}

function renderFacts({ run, paint, now }: { run: Run; paint: Paint; now: number }): string {
  const took =
    run.startedAt && run.finishedAt ? formatDuration(Date.parse(run.finishedAt) - Date.parse(run.startedAt)) : null;
  return renderPairs(
    [
      ["target", `${run.target.kind} ${run.target.slug}`],
      ["trigger", run.trigger],
      ["delivery", run.deliveryId],
      ["key", run.key === "" ? "none: the webhook had no value for it" : run.key],
      ["waits for", run.waitsFor ? describeWait(run.waitsFor, run) : null],
      [
        "blocks",
        run.blocksKey ? "other runs with its key, until it is resumed, replayed or released (runs cancel)" : null,
      ],
      ["replay of", run.replayOf],
      ["onFailure of", run.failureOf],
      ["child of", run.childOf],
      ["replayed as", run.replayedAs],
      ["started by", run.startedBy],
      ["created", `${formatRelativeTime(run.createdAt, now)}  ${paint("dim", run.createdAt)}`],
      ["resumed", run.resumedAt && `${formatRelativeTime(run.resumedAt, now)}  ${paint("dim", run.resumedAt)}`],
      ["took", took],
      ["attempt", `${run.attempt} of ${run.maxAttempts}`],
      ["version", run.version],
    ],
    paint,
  );
}

function renderTimeline(timeline: readonly TimelineEntry[], paint: Paint): string {
  const rows = timeline.map((entry) => [
    paint("dim", formatLocalTime(Date.parse(entry.at))),
    entry.attempt === 0 ? "" : String(entry.attempt),
    kindText(entry),
    detailText(entry),
  ]);
  return renderTable({ headings: ["TIME", "ATTEMPT", "EVENT", ""], rows, paint });
}

function kindText({ kind, name, level }: TimelineEntry): string {
  if (kind === "log") return level ?? "log";
  return name === null ? words[kind] : `${words[kind]}: ${plainLine(name, 60)}`;
}

function detailText(entry: TimelineEntry): string {
  const { message, error, durationMs, until } = entry;
  const parts = [
    durationMs === null ? "" : formatDuration(durationMs),
    until === null ? "" : `until ${until}`,
    message === null ? "" : plainLine(message, 120),
    error === null ? "" : plainLine(`${error.name}: ${error.message}`, 120),
    plainLine(dataText(entry), 120),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

/**
 * Of a wait: its events or its delivery. Of a child: its run. Of a failure: the line of code, instead of the excerpt
 * around it.
 */
function dataText({ kind, data }: TimelineEntry): string {
  if (kind === "wait_finished" && data === null) return "timed out";
  if (data === null) return "";
  const wait = kind === "wait_started" ? waitStartedSchema.safeParse(data).data : undefined;
  if (wait) return describeEvents(wait.events);
  const event = kind === "wait_finished" ? waitFinishedSchema.safeParse(data).data : undefined;
  if (event) return `${event.deliveryId} (${event.source})`;
  const child = kind === "child_started" ? childStartedSchema.safeParse(data).data : undefined;
  if (child) return `${child.runId} (${child.target.kind} ${child.target.slug})`;
  const ended = kind === "child_finished" ? childFinishedSchema.safeParse(data).data : undefined;
  if (ended) return `${ended.runId} (${ended.status.replace("_", " ")})`;
  const failure = failureData.safeParse(data);
  if (!failure.success) return JSON.stringify(data);
  const { source, ...rest } = failure.data;
  return [`${source.file}:${source.line}`, ...(Object.keys(rest).length > 0 ? [JSON.stringify(rest)] : [])].join("  ");
}

const failureData = z.looseObject({ source: z.object({ file: z.string(), line: z.int() }) });

function renderJson(name: string, value: Json, paint: Paint): string {
  if (value === null) return "";
  return `${paint("dim", name)}\n${indent(JSON.stringify(value, null, 2))}`;
}

function renderError(error: NonNullable<Run["error"]>, paint: Paint): string {
  const title = `${error.name}: ${error.message}`;
  const stack = error.stack?.startsWith(title)
    ? error.stack
    : [title, ...(error.stack ? [error.stack] : [])].join("\n");
  return `${paint("bad", "error")}\n${indent(stack)}`;
}

function indent(text: string): string {
  return `${text
    .split("\n")
    .map((line) => `  ${plainText(line)}`)
    .join("\n")}\n`;
}
