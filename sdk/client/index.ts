export {
  createClient,
  type CallOptions,
  type ClientOptions,
  type DeliveredRun,
  type DeliverOptions,
  type EventOptions,
  type FiredRun,
  type FireOptions,
  type List,
  type ListOptions,
  type ListPage,
  type RunHandle,
  type SentDelivery,
  type SignalboxClient,
  type StartedRun,
  type StartOptions,
  type WaitOptions,
} from "./create-client.ts";
export { ApiError, ConnectionError, RunFailedError, SignalboxError, WaitTimeoutError } from "./errors.ts";
export type { ErrorCode } from "./error-table.ts";
export type {
  Delivery,
  DeliveryFilter,
  DeliverySummary,
  EvaluatedBody,
  Problem,
  ProblemError,
  Reason,
  Run,
  RunError,
  RunFilter,
  RunSummary,
  Target,
  TimelineEntry,
  UnlistedVerdicts,
  Verdict,
} from "./api-types.ts";
export type { Duration } from "../definition.ts";
export type { Jsonify } from "../jsonify.ts";
