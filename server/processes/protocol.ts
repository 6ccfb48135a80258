import type { DeliverySummary } from "../contract/delivery.ts";
import type { FedDelivery } from "../contract/feed.ts";
import type { Json } from "../contract/json.ts";
import type { ProblemError } from "../contract/problem.ts";
import type { FailedBuild } from "../contract/project/failed-build.ts";
import type { RunStatus } from "../contract/run.ts";
import type { Target } from "../contract/project/target.ts";
import type { ActiveRun } from "../engine/worker-loop.ts";
import type { WorkerDeath } from "../engine/plan-lost-runs.ts";
import type { ReceiverNumbers, ServiceReport } from "../ports/service-report.ts";
import type { IsolatedRuns, LostAttempt } from "../run-channel/host/run-host.ts";

/** The messages between the supervisor and its children, over the IPC channel of child_process.fork. */

/** From the receiver and from web. */
export type HttpProcessToSupervisor =
  /** The process listens. `port`: the public port, from the receiver only. */
  | { type: "ready"; port: number | null }
  | { type: "failed"; message: string }
  /** Answers `reload`. `error`: the reason why the old project is still served. */
  | { type: "reloaded"; version: string; error: string | null }
  /** Sent twice a second. It shows that the event loop turns. */
  | { type: "heartbeat" }
  /** From web, for the run host. A lost message costs only time. */
  | RunSignal
  /** From web: another build is current. Answered with `reload`. */
  | { type: "build-changed" }
  /** From the receiver, for the terminal. */
  | { type: "notice"; level: "info" | "warn" | "error"; message: string }
  /** From the receiver: answers a `host-request`. */
  | { type: "host-answer"; id: number; answer: HostAnswer }
  /** From the receiver: answers `stop-receiving`. */
  | { type: "stopped-receiving" }
  /** For the log line of each delivery; sent in development only. */
  | { type: "delivery"; delivery: DeliverySummary }
  /** Answered with `input-checked`. */
  | InputQuestion
  /** From web: a client reads the metrics. Answered with `numbers`. */
  | { type: "read-numbers" }
  /** From the receiver: answers `read-receiver-numbers`. */
  | { type: "receiver-numbers"; numbers: ReceiverNumbers };

/** From web: whether the schema of a target accepts an input. */
export interface InputQuestion {
  type: "check-input";
  id: string;
  version: string;
  target: Target;
  input: Json;
}

/** To the receiver and to web. */
export type SupervisorToHttpProcess =
  /**
   * `.signalbox/manifest.json` changed: load it. Answered with `reloaded`. `env`: the environment variables that the
   * process may have now.
   */
  { type: "reload"; env: NodeJS.ProcessEnv } | { type: "shutdown" } | ToReceiver | ToWeb;

type ToWeb =
  /** Whether the newest build failed. */
  | { type: "build"; failed: FailedBuild | null }
  /** The public port. */
  | { type: "port"; port: number }
  /** Answers `check-input`. `null`: the schema cannot be evaluated. */
  | { type: "input-checked"; id: string; errors: ProblemError[] | null }
  /** Answers `read-numbers`. */
  | { type: "numbers"; numbers: ServiceReport };

type ToReceiver =
  /** Answered with `receiver-numbers`. */
  | { type: "read-receiver-numbers" }
  /** Before `shutdown`: accept no more webhooks. The run host continues. Answered with `stopped-receiving`. */
  | { type: "stop-receiving"; graceMs: number }
  | HostMessage;

/** A write of web that the run host should handle at once. */
type RunSignal = { type: "runs-queued" } | { type: "cancel-requested"; runId: string };

/** To the run host in the receiver. */
export type HostMessage =
  | RunSignal
  | { type: "worker-alive"; workerId: string; isResponsive: boolean }
  | { type: "release-workers"; workerIds: readonly string[] }
  | { type: "stop-assigning" }
  /** Answered with `host-answer`. It is sent again to the next receiver if this one does not answer. */
  | ({ type: "host-request"; id: number } & HostRequest);

export type HostRequest =
  | { request: "worker-died"; workerId: string; death: WorkerDeath; deadlines: [runId: string, deadlineAt: number][] }
  | { request: "hold-workers"; workerIds: readonly string[] }
  | { request: "isolated-runs" }
  | { request: "count-blocked-runs" }
  /** A delivery of the feed of the service at `url`. */
  | { request: "take-delivery"; delivery: FedDelivery; url: string; isMatchOnly: boolean };

/** `null`: the request has no result, or failed. */
export type HostAnswer = LostAttempt[] | IsolatedRuns | { blocked: number } | TakenDelivery | null;

/** `known`: it was taken before. `busy`: offer it again later. `failed`: a defect. */
export type TakenDelivery = { taken: "recorded" } | { taken: "known" } | { taken: "busy" | "failed"; reason: string };

export interface RunEndedReport {
  runId: string;
  /** `waiting`: it will continue later. */
  status: RunStatus;
  trigger: string | null;
  deliveryId: string | null;
  target: Target;
  attempt: number;
  durationMs: number;
  error: string | null;
}

/** A run whose code began for the first time. */
export interface RunStartedReport {
  target: Target;
  /** Milliseconds since the run was recorded. */
  latencyMs: number;
}

export type WorkerToSupervisor =
  | { type: "ready"; workerId: string }
  | { type: "failed"; message: string }
  /**
   * Sent twice a second, before the code of a run starts, and when a run has ended. `active`: the runs whose code is
   * executing, or about to. `others`: the number of further runs, whose end is being written. `started` and `ended`:
   * since the last heartbeat.
   */
  | {
      type: "heartbeat";
      rssBytes: number;
      active: ActiveRun[];
      others: number;
      ended: RunEndedReport[];
      started?: RunStartedReport[];
    }
  /** It accepts no more runs, and exits when its runs have ended, because of `reason`. Start another worker. */
  | { type: "retiring"; reason: string };

export type SupervisorToWorker =
  /** Accept no more runs, and exit when all runs have ended. Sent when the project was rebuilt. */
  | { type: "drain" }
  /** Return the runs to the queue: those with steps in flight when these have ended, or after `drainMs`. Then exit. */
  | { type: "shutdown"; drainMs: number };

/** Every child gets this as JSON in the environment variable SIGNALBOX_PROCESS. */
export interface ProcessStart {
  projectDir: string;
  mode: "development" | "deployed";
  /** The options of the command line. A restarted receiver gets its previous port in them. */
  flags?: { port?: number; host?: string };
  /** Receiver and web: where web listens for the receiver. */
  web?: { socket: string; secret: string };
  /** The receiver and workers: where the run host listens for workers. Without it, the receiver has no run host. */
  runs?: { socket: string; secret: string };
  /** The receiver only: the workers that run or whose deaths are not handled yet, and those that are assigned nothing. */
  workers?: { known: string[]; held: string[] };
  /** Workers only. */
  pool?: "shared" | "isolated";
  workerId?: string;
}

/** Reports events to the user at the terminal. The command line renders them. */
export interface Reporter {
  delivery(delivery: DeliverySummary): void;
  runEnded(run: RunEndedReport): void;
  /** A message that the user should read, e.g. that a worker died or that a child is started again. */
  notice(level: "info" | "warn" | "error", message: string): void;
}
