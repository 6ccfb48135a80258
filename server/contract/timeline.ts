import { z } from "zod";
import { attempt } from "./fields.ts";
import { jsonSchema } from "./json.ts";
import { runErrorSchema } from "./run.ts";

/**
 * What happened in a run. Every kind is one past event:
 *
 * - `queued`: the run was recorded. `canceled`, `completed`, `failed`, `timed_out`: how it ended.
 * - `attempt_started`, `attempt_failed` (with `error`), `retry_scheduled` (with `until`). If the user's code threw the
 *   `error`, `data.source` has that code (a CodeExcerpt). If a value did not parse, `data.errors` has the paths.
 * - `resumed`: the attempt continued in a worker after a sleep, or after its worker was lost.
 * - `step_started`, `step_completed` (with `durationMs`), `step_failed` (with `error`), `step_reused`: its stored result
 *   was returned. For a step with retries of its own, `data` has `try` and `maxTries`. The `until` of `step_failed` is
 *   the time of the next try; `null`: there is none.
 * - `sleep_started` (with `until`), `sleep_finished`.
 * - `wait_started` (with `until`; `data` has the sources and the values that must match), `wait_finished` (`data` has the
 *   delivery and its source; `null`: the wait has timed out).
 * - `child_started` (`data` has the child run, its target, and whether this run waits for it).
 * - `child_finished` (`data` has the child run and how it ended; `timed_out`: the call has, or the child).
 * - `approval_requested` (with `until`; `data` has the tool and its arguments), `approval_decided` (`data` has the
 *   decision and the person).
 * - `worker_lost`: the process that ran it ended; `message` says how.
 * - `resume_requested`: a person resumed the run after it had failed. `message` names the build. Later entries follow the
 *   one that had ended the run.
 * - `key_released`: the run had failed and blocked its key. A person canceled it, so the next run of the key starts.
 * - `cancel_requested`, `log` (with `level`, `message`, `data`).
 */
const timelineKindSchema = z.enum([
  "queued",
  "attempt_started",
  "attempt_failed",
  "retry_scheduled",
  "resumed",
  "step_started",
  "step_completed",
  "step_failed",
  "step_reused",
  "sleep_started",
  "sleep_finished",
  "wait_started",
  "wait_finished",
  "child_started",
  "child_finished",
  "approval_requested",
  "approval_decided",
  "worker_lost",
  "cancel_requested",
  "resume_requested",
  "key_released",
  "log",
  "completed",
  "failed",
  "canceled",
  "timed_out",
]);

const logLevelSchema = z.enum(["debug", "info", "warn", "error"]);

export const timelineEntrySchema = z.object({
  id: z.number().int().describe("Number of the entry, which grows within the run. The id of the server-sent event."),
  at: z.iso.datetime().describe("When it happened."),
  kind: timelineKindSchema.describe("What happened."),
  attempt,
  name: z
    .string()
    .nullable()
    .describe("Name of the step, the sleep, the wait, the child run or the approval. `null`: the entry is about none."),
  level: logLevelSchema.nullable().describe("Level of a log entry. Otherwise `null`."),
  message: z.string().nullable().describe("Text of a log entry, or the explanation of another one."),
  durationMs: z.number().nullable().describe("Duration in milliseconds. `null`: the entry ends nothing."),
  until: z.iso.datetime().nullable().describe("When the run continues. `null`: the entry is about no wait."),
  error: runErrorSchema.nullable().describe("The error of a failed attempt, step or run."),
  data: jsonSchema.nullable().describe("Data of a log entry, or facts about another one."),
});

export type TimelineKind = z.infer<typeof timelineKindSchema>;
export type LogLevel = z.infer<typeof logLevelSchema>;
export type TimelineEntry = z.infer<typeof timelineEntrySchema>;

/**
 * Where in the user's own code an error came from, with the lines around it as they were when the code was built.
 * Counted from 1.
 */
export type CodeExcerpt = {
  /** Path in the project, with `/`. */
  file: string;
  line: number;
  column: number;
  lines: { number: number; text: string }[];
};
