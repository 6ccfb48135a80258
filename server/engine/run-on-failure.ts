import { z } from "zod";
import type { FailedRun } from "../../sdk/failed-run.ts";
import { agentInputSchema } from "../contract/agent/input.ts";
import { type Json, jsonSchema } from "../contract/json.ts";
import { runErrorSchema } from "../contract/run.ts";
import type { ProjectCode } from "../ports/project.ts";
import type { AssignedRun } from "../ports/run-channel.ts";
import { FinalFailure } from "./run-errors.ts";
import { describeReplacement, toJson } from "./run-values.ts";

/** The input of a run that executes `onFailure`: the failed run, with its input as recorded. */
const recordedFailureSchema = z.object({
  id: z.string(),
  status: z.enum(["failed", "timed_out"]),
  error: runErrorSchema,
  input: jsonSchema,
  payload: jsonSchema,
  attempts: z.int(),
  trigger: z.string().nullable(),
  deliveryId: z.string().nullable(),
  createdAt: z.string(),
  finishedAt: z.string(),
});

type RecordedFailure = z.infer<typeof recordedFailureSchema>;

/**
 * Calls `onFailure` of the target. The failed run is recorded first, as the input, so that later attempts do not depend
 * on it: retention may remove it. Returns the output.
 */
export async function runOnFailure(p: {
  run: AssignedRun;
  code: ProjectCode;
  ctx: unknown;
  record: (input: Json) => Promise<unknown>;
}): Promise<Json> {
  const { run, code } = p;
  const loaded = await (run.target.kind === "agent" ? code.agent : code.workflow)(run.target.slug);
  const what = `onFailure of ${run.target.kind} ${run.target.slug}`;
  if (!loaded?.onFailure)
    throw new FinalFailure(
      "UnknownTarget",
      `There is no ${what} in this build (${code.manifest.version}). ${describeReplacement(code)}`,
    );
  const failed = run.input === null ? toRecordedFailure(run) : recordedFailureSchema.parse(run.input);
  if (run.input === null) await p.record(failed);
  const input = parseInput(
    (value) => ("input" in loaded ? loaded.input : agentInputSchema).safeParse(value),
    failed.input,
  );
  const argument: FailedRun = { ...structuredClone(failed), input };
  return toJson(await loaded.onFailure(argument, p.ctx), `The result of ${what}`);
}

function toRecordedFailure({ id, failure, failureOf }: AssignedRun): RecordedFailure {
  if (!failure)
    throw new FinalFailure(
      "FailedRunRemoved",
      `Run ${id} handles the failure of run ${failureOf}, but retention has removed that run. Raise retentionDays.`,
    );
  const { status, error, input, payload, attempt, trigger, deliveryId, createdAt, finishedAt } = failure;
  return {
    id: failure.id,
    status: status === "timed_out" ? "timed_out" : "failed",
    error: error ?? { name: "Error", message: "", stack: null },
    input,
    payload,
    attempts: attempt,
    trigger,
    deliveryId,
    createdAt,
    finishedAt: finishedAt ?? createdAt,
  };
}

/** `null` if the schema does not match: then the run failed before its code started. */
function parseInput(parse: (value: Json) => { success: boolean; data?: unknown }, recorded: Json): unknown {
  const parsed = recorded === null ? null : parse(recorded);
  return parsed?.success ? parsed.data : null;
}
