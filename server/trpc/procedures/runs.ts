import { z } from "zod";
import { revealRun } from "../../auth/access/reveal.ts";
import { runFilterSchema } from "../../contract/filters.ts";
import { toStoreFilter } from "../../domain/store-filter.ts";
import { timestampMs, timestampSchema } from "../../contract/list.ts";
import { runActionSchema } from "../../contract/run-bulk.ts";
import { windowSchema } from "../../contract/traffic.ts";
import { parseJsonText } from "../../domain/requests/request-body.ts";
import { actOnFilteredRuns, actOnRuns, cancelRun } from "../../runs/act-on-runs.ts";
import { flowSimulationOptionsSchema } from "../../contract/flow-simulation.ts";
import { simulateFlow } from "../../runs/simulate-flow.ts";
import { countRuns, sumUsage } from "../../runs/filtered-runs.ts";
import { decideApproval, maxTimelineEntries, showConversation } from "../../runs/agent-runs.ts";
import { readChildren } from "../../runs/read-children.ts";
import { findRuns, getRun, listRuns } from "../../runs/read-runs.ts";
import { listTimeline } from "../../runs/run-timeline.ts";
import { getStep, listSteps, withoutLongResult } from "../../runs/run-steps.ts";
import { type ReplayChange, replayRun } from "../../runs/replay-run.ts";
import { resumeRun } from "../../runs/resume-run.ts";
import { showRunHistogram } from "../../traffic/show-run-histogram.ts";
import { procedure, router } from "../trpc.ts";
import { jsonText, livePaging, toLivePage } from "./input-schemas.ts";

const byId = z.strictObject({ id: z.string() });
const ids = z.array(z.string().max(64)).max(100);

/** A page shows no longer result of a step: it links to the API instead. */
const maxShownResultBytes = 1_000_000;
/** The results of further steps stay masked. */
const maxRevealedSteps = 1_000;

const replayChange = z.union([z.strictObject({ payload: jsonText }), z.strictObject({ input: jsonText })]);

function parseChange(change: z.infer<typeof replayChange>, maxBytes: number): ReplayChange {
  return "payload" in change
    ? { payload: parseJsonText(change.payload, maxBytes) }
    : { input: parseJsonText(change.input, maxBytes) };
}

export const runsRouter = router({
  list: procedure("listRuns")
    .input(runFilterSchema.extend(livePaging))
    .query(({ ctx, signal, input: { limit, cursor, newerThan, ...filter } }) =>
      listRuns(ctx, { filter: toStoreFilter(filter), page: { ...toLivePage({ limit, cursor, newerThan }), signal } }),
    ),

  /** `action`: only the runs that it affects. */
  count: procedure("countRuns")
    .input(runFilterSchema.extend({ action: runActionSchema.optional() }))
    .query(({ ctx, input: { action, ...filter } }) => countRuns(ctx, toStoreFilter(filter), action)),

  /** The runs of a filter over time, by status. */
  histogram: procedure("countRuns")
    .input(runFilterSchema.extend({ window: windowSchema.optional() }))
    .query(({ ctx, input: { window, ...filter } }) => showRunHistogram(ctx, { window, filter: toStoreFilter(filter) })),

  /** How long recorded runs would wait with these limits. */
  simulate: procedure("simulateFlow")
    .input(flowSimulationOptionsSchema.extend({ target: z.string().min(1) }))
    .query(({ ctx, input }) => simulateFlow(ctx, input)),

  /** The total usage of the runs of a filter. */
  usage: procedure("sumUsage")
    .input(runFilterSchema)
    .query(({ ctx, input }) => sumUsage(ctx, toStoreFilter(input))),

  /** The child runs of a run: the newest, their number by status, and the usage of the run with them. */
  children: procedure("listRuns")
    .input(byId)
    .query(({ ctx, input }) => readChildren(ctx, input.id)),

  /** The current state of these runs, newest first. Deleted runs are missing. */
  byIds: procedure("findRuns")
    .input(z.strictObject({ ids }))
    .query(({ ctx, input }) => findRuns(ctx, input.ids)),

  get: procedure("getRun")
    .input(byId)
    .query(({ ctx, input }) => getRun(ctx, input)),

  /**
   * The run as it was recorded, with its sensitive values, and everything that its page shows of it. A mutation,
   * because it writes an audit entry.
   */
  reveal: procedure("revealRun")
    .input(byId)
    .mutation(async ({ ctx, input: { id } }) => {
      const run = await revealRun(ctx, id, ctx.auditContext);
      const deps = { ...ctx, store: ctx.originals };
      const [timeline, steps, conversation] = await Promise.all([
        listTimeline(deps, { runId: id, after: 0, limit: maxTimelineEntries }),
        listSteps(deps, { runId: id, after: 0, limit: maxRevealedSteps }),
        run.target.kind === "agent" ? showConversation(deps, id) : null,
      ]);
      const shown = steps.data.map((step) => withoutLongResult(step, maxShownResultBytes));
      return { run, timeline: timeline.data, steps: shown, conversation };
    }),

  /** The timeline entries after `after`, oldest first. */
  timeline: procedure("listTimeline")
    .input(byId.extend({ after: z.int().min(0).default(0) }))
    .query(async ({ ctx, input }) => {
      const { data } = await listTimeline(ctx, { runId: input.id, after: input.after, limit: maxTimelineEntries });
      return data;
    }),

  /** A step with its result. A long result is `null`. */
  step: procedure("listSteps")
    .input(byId.extend({ name: z.string() }))
    .query(({ ctx, input: { id, name } }) => getStep(ctx, { runId: id, name, maxBytes: maxShownResultBytes })),

  /** What an agent did so far. */
  conversation: procedure("getAgentTrace")
    .input(byId)
    .query(({ ctx, input }) => showConversation(ctx, input.id)),

  /** Approves or denies a pending tool call. Returns the updated run. */
  decide: procedure("decideApproval")
    .input(
      byId.extend({
        name: z.string().max(200),
        isApproved: z.boolean(),
        reason: z.string().trim().min(1).max(2_000).nullable().default(null),
      }),
    )
    .mutation(({ ctx, input }) => decideApproval(ctx, { ...input, actor: ctx.auditContext.actor })),

  /** Returns the updated run. */
  cancel: procedure("cancelRun")
    .input(byId)
    .mutation(({ ctx, input }) => cancelRun(ctx, input.id)),

  /** Returns the updated run. */
  resume: procedure("resumeRun")
    .input(byId)
    .mutation(({ ctx, input }) => resumeRun(ctx, input.id)),

  /** With the same input, or with an edited payload for the trigger or an edited input for the target. */
  replay: procedure("replayRun")
    .input(byId.extend({ change: replayChange.optional() }))
    .mutation(async ({ ctx, input: { id, change } }) => {
      const run = await replayRun(ctx, { id, change: change ? parseChange(change, ctx.maxBodyBytes) : null });
      return { runId: run.id };
    }),

  /** Cancels, resumes or replays selected runs. */
  act: procedure("actOnRuns")
    .input(z.strictObject({ action: runActionSchema, ids: ids.min(1) }))
    .mutation(({ ctx, input }) => actOnRuns(ctx, input)),

  /** Cancels, resumes or replays the next runs of a filter: call again until `nextCursor` is `null`. */
  bulk: procedure("actOnFilteredRuns")
    .input(
      z.strictObject({
        action: runActionSchema,
        filter: runFilterSchema,
        /** When the client counted the runs: later runs are left alone. The same in each call. */
        until: timestampSchema,
        cursor: z.string().max(512).nullable(),
      }),
    )
    .mutation(({ ctx, input: { filter, until, ...rest } }) =>
      actOnFilteredRuns(ctx, { ...rest, filter: toStoreFilter(filter), until: timestampMs(until) }),
    ),
});
