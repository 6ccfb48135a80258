import type { TransientMap } from "../../domain/transient-map.ts";
import type { RunClaim } from "../../ports/run-channel.ts";
import type { MessageStream } from "../frames.ts";
import type { HostMessage, WorkerIdentity } from "../messages.ts";

/** The state of a connected worker in the host. */
export interface HostedWorker {
  readonly identity: WorkerIdentity;
  readonly stream: MessageStream<HostMessage>;
  /** Number of runs that it can have at a time. */
  capacity: number;
  /** It is assigned nothing more. */
  isDraining: boolean;
  /** Monotonic milliseconds of the last message that shows that its event loop turns. */
  respondedAt: number;
  /** The end of its leases when all were last extended together. Runs that were claimed later have later ends. */
  leaseUntil: number;
  /** The tokens of its runs, by id. */
  readonly runs: TransientMap<string, string>;
  /** The targets (`kind:slug`) whose concurrent runs are limited. */
  readonly limitedTargets: ReadonlySet<string>;
  /** The attachment ids whose transforms use the request. */
  readonly readsRequest: ReadonlySet<string>;
  /** Its runs of such targets, by id. When one ends, another run of the target may be due. */
  readonly limitedRuns: Set<string>;
  /** Slots for runs that are being claimed or accepted. */
  reserved: number;
}

/** The connected workers, by id. */
export type HostedWorkers = ReadonlyMap<string, HostedWorker>;

/** Heartbeats come twice a second. */
const maxResponseAgeMs = 1_500;

/** Whether its event loop turned a moment ago. Otherwise, assigned runs would wait. */
export const isResponsive = ({ respondedAt }: HostedWorker): boolean =>
  performance.now() - respondedAt < maxResponseAgeMs;

/** The number of further runs that the worker can be assigned. */
export const freeSlots = ({ capacity, runs, reserved }: HostedWorker): number =>
  Math.max(0, capacity - runs.size - reserved);

export function claimsOf(worker: HostedWorker): RunClaim[] {
  return [...worker.runs].map(([id, token]) => ({ id, token }));
}

/** Forgets a run, unless the worker has another claim of it. */
export function forget(worker: HostedWorker, { id, token }: RunClaim): void {
  if (worker.runs.get(id) !== token) return;
  worker.runs.delete(id);
  worker.limitedRuns.delete(id);
}
