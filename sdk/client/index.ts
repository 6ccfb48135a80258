export { createClient } from "./create-client.ts";
export type {
  CallOptions,
  ClientOptions,
  DeliveredRun,
  DeliverOptions,
  EventOptions,
  FiredRun,
  FireOptions,
  List,
  ListOptions,
  ListPage,
  RunHandle,
  SentDelivery,
  SignalboxClient,
  StartedRun,
  StartOptions,
  WaitOptions,
} from "./client.ts";
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
export type { Duration } from "../duration.ts";
export type { Jsonify } from "../jsonify.ts";
