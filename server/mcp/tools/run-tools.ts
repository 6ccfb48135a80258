import { z } from "zod";
import { runFilterSchema } from "../../contract/filters.ts";
import { pageSchema, searchPageSchema } from "../../contract/list.ts";
import { type Run, runSchema, runSummarySchema } from "../../contract/run.ts";
import { timelineEntrySchema } from "../../contract/timeline.ts";
import { formatCount } from "../../shared/format.ts";
import { readNewestEntries } from "../../domain/runs/newest-entries.ts";
import { apiPath } from "../../contract/api-request.ts";
import type { ServiceApi } from "../service-api.ts";
import { defineTool } from "../tool.ts";
import { filterInput, runId, toFilterQuery, waitSeconds } from "./inputs.ts";
import { describeEntry, describeRun } from "./shapes.ts";

export const getRun = defineTool({
  name: "get_run",
  title: "Get a run, or list runs",
  description:
    "With `id`: one run with its input, its output or error, and its timeline of attempts, steps, sleeps, waits for events, child runs and logs. Without `id`: the newest runs that match the other arguments.",
  input: z.strictObject({
    id: runId.optional(),
    waitSeconds: waitSeconds(0).describe("With `id`: maximum time in seconds to wait until the run ends"),
    ...filterInput(runFilterSchema),
    limit: z.int().min(1).max(50).default(10),
  }),
  uses: ["getRun", "listTimeline", "listRuns"],
  async call({ id, waitSeconds: wait, limit, ...filter }, api) {
    if (id !== undefined) return showRun(api, id, wait);
    const { data, nextCursor } = await api.request({
      path: "/runs",
      query: { ...toFilterQuery(filter), limit },
      answer: searchPageSchema(runSummarySchema),
    });
    return {
      facts: [
        `${formatCount(data.length, "run")} found, newest first.`,
        ...(nextCursor === null ? [] : ["There are more: raise `limit`, or add a filter."]),
      ],
      data: data.map((run) => describeRun(run)),
    };
  },
});

/** Of the timeline. */
const maxEntries = 100;

async function showRun(api: ServiceApi, id: string, wait: number) {
  const run = await api.request({ path: apiPath`/runs/${id}`, query: { wait }, answer: runSchema });
  const { entries, olderCursor } = await readNewestEntries(
    (cursor) =>
      api.request({
        path: apiPath`/runs/${id}/timeline`,
        query: { limit: 100, cursor },
        answer: pageSchema(timelineEntrySchema),
      }),
    { limit: maxEntries },
  );
  return {
    facts: [
      describeEnd(run),
      ...(olderCursor === null ? [] : [`The timeline has more entries: these are the newest ${maxEntries}.`]),
      ...(run.isMasked ? ["Sensitive values are fakes."] : []),
    ],
    data: { ...describeRun(run), timeline: entries.map(describeEntry) },
  };
}

/** One sentence about the state of a run. */
export function describeEnd(run: Run): string {
  const { status, attempt, maxAttempts, waitsFor } = run;
  if (waitsFor && (status === "queued" || status === "waiting"))
    return `The run is ${status}. It waits for ${waitWords[waitsFor.kind]}: see \`waitsFor\`.`;
  if (status === "queued") return "The run is queued: it starts as soon as a worker of a running service is free.";
  if (status === "waiting") return "The run is waiting for a retry, a sleep or an approval.";
  const attempts = `attempt ${attempt} of ${maxAttempts}`;
  if (status === "failed" || status === "timed_out")
    return `The run ended with the status ${status} (${attempts}). Fix the cause and build, then resume the run.`;
  return `The run has the status ${status} (${attempts}).`;
}

const waitWords = {
  key: "another run with the same key",
  concurrency: "a free slot of its workflow or agent",
  event: "an event of a source",
  child: "its child runs",
} as const satisfies Record<NonNullable<Run["waitsFor"]>["kind"], string>;

export const resumeRun = defineTool({
  name: "resume_run",
  title: "Resume a failed run",
  description:
    "Continues a failed run on the current build, after its last finished step, with the same id and idempotency keys. Use it after the cause is fixed and built. Executes the workflow with all of its effects.",
  input: z.strictObject({ id: runId, waitSeconds: waitSeconds(30) }),
  uses: ["resumeRun", "getRun", "listTimeline"],
  async call({ id, waitSeconds: wait }, api) {
    await api.request({ method: "POST", path: apiPath`/runs/${id}/resume`, answer: runSchema });
    return showRun(api, id, wait);
  },
});
