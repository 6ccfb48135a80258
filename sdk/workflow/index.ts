export { defineWorkflow, type Workflow, type WorkflowOptions } from "./define-workflow.ts";
export type { RunInfo, RunLog, StepContext, StepOptions, WorkflowContext } from "./context.ts";
export type { AwaitedEvent, EventMatch, EventSource, WaitOptions, WaitTimes } from "./events.ts";
export { NonRetryableError, RetryAfterError, StepError } from "../errors.ts";
export type { Jsonify } from "../jsonify.ts";
export type { Duration } from "../duration.ts";
export type { RetryOptions } from "../target-settings.ts";
export type { FailedRun } from "../failed-run.ts";
export type { Schema, SchemaInput, SchemaOutput } from "../schema.ts";
