import type { AssignedRun, RunClaim } from "../ports/run-channel.ts";
import type { ClaimedRun, EngineStore, ProgressResult, RunProgress } from "../ports/store/engine-store.ts";

/** Increased when a message changes in a way that the other side would misunderstand. */
export const protocolVersion = 1;

/** The properties of a worker that do not change while it runs. */
export interface WorkerIdentity {
  id: string;
  pid: number;
  startedAt: number;
  pool: "shared" | "isolated";
  /** The version of its build. */
  version: string;
  /** Maximum concurrent runs of a target (`kind:slug`) over all workers. */
  concurrency: readonly (readonly [target: string, limit: number])[];
  /** Whether runs come with the headers of their delivery. */
  needsHeaders: boolean;
  /** The attachment ids whose transforms use the request. */
  readsRequest: readonly string[];
}

export interface Hello {
  type: "hello";
  protocol: number;
  secret: string;
  worker: WorkerIdentity;
  capacity: number;
  isDraining: boolean;
  runs: readonly RunClaim[];
  /** Runs whose unacknowledged progress follows. It may have been written; its answer shows whether the worker has them. */
  unacknowledged: readonly string[];
}

export type WorkerMessage =
  | Hello
  /** Answered with `ack`. Each run has at most one unanswered progress. */
  | ({ type: "progress" } & RunProgress & { seq: number })
  /** Live output of a model. Answered with `live-ack`. */
  | { type: "live"; id: number; live: Parameters<EngineStore["saveLive"]>[0] }
  | { type: "capacity"; runs: number }
  /** The worker stopped executing this run without writing its end. */
  | { type: "released"; run: RunClaim }
  /** Assign nothing more. Answered with `drained`. */
  | { type: "drain" };

export type HostMessage =
  /** Answers `hello`. Until this time, the worker has all its runs except `lost`. */
  | ({ type: "welcome" } & LeaseRenewal)
  /** Answers `hello`, before the host closes the connection. */
  | { type: "rejected"; message: string }
  | AssignMessage
  | ({ type: "ack" } & RunClaim & { seq: number } & (ProgressResult | { failure: WriteFailure }))
  | { type: "live-ack"; id: number; held: boolean }
  | { type: "cancel"; runId: string }
  /** Another worker has the run. */
  | { type: "lost"; run: RunClaim }
  | ({ type: "renewed" } & LeaseRenewal)
  | { type: "drained" };

interface AssignMessage {
  type: "assign";
  run: AssignedRun;
}

export interface LeaseRenewal {
  leaseUntil: number;
  /** The offset of the store's clock from this machine's. */
  clockAheadMs: number;
  /** The runs that the worker no longer has. */
  lost: readonly RunClaim[];
}

interface WriteFailure {
  /** Whether the write can be tried again. */
  isUnavailable: boolean;
  message: string;
}

/** Formats an `assign` message. The JSON of a payload is passed on without being parsed. */
export function formatAssign(
  { payloadText, inputText, ...attempt }: ClaimedRun,
  more: Pick<AssignedRun, "steps" | "headers" | "request">,
): string {
  const rest = JSON.stringify({ ...attempt, ...more }).slice(1);
  return `{"type":"assign","run":{"payload":${payloadText ?? "null"},"input":${inputText ?? "null"},${rest}}`;
}
