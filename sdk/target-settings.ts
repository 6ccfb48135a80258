import type { Duration } from "./duration.ts";

/** How a run is retried after a failed attempt. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. 1 disables retries. Default: 3. */
  attempts?: number;
  /** `exponential` doubles the delay after each attempt; `fixed` keeps it. Default: `exponential`. */
  backoff?: "exponential" | "fixed";
  /** Delay before the second attempt. Default: `"1s"`. */
  initialDelay?: Duration;
  /** Maximum delay between two attempts. Default: `"1h"`. */
  maxDelay?: Duration;
}

/** The build on which open runs continue after a deployment. */
type VersionPolicy = "pin" | "latest";

/** Maximum usage of one run, over all its model calls. A run that exceeds it fails with `budget_exceeded`. */
export interface AgentBudget {
  /** Input and output tokens together. */
  tokens?: number;
  /** US dollars, by the built-in prices and `modelPrices` in signalbox.config.ts. */
  usd?: number;
}

/** Maximum number of tool calls. A run whose model requests more fails with `max_tool_calls_exceeded`. */
interface AgentToolCalls {
  /** Maximum in one answer of the model. Default: 20. */
  perAnswer?: number;
  /** Maximum in one run. Default: 100. */
  perRun?: number;
}

/** Limits on concurrent runs, over all workers and machines. At least one of `limit` and `perKey` is given. */
interface ConcurrencyOptions {
  /** Maximum concurrent runs: an integer of at least 1. Default: no limit. */
  limit?: number;
  /**
   * Maximum concurrent runs with the same key: an integer of at least 1. Runs of a key start in the order in which
   * they were accepted. With 1, each waits until the one before it has ended, with all its retries. Runs without a key
   * have no such limit. Default: no limit.
   */
  perKey?: number;
  /**
   * Whether a run that sleeps or waits for an approval counts. `"hold"`: it counts. `"release"`: another run can start
   * meanwhile, and the waiting run may have to wait for its turn again. A run that waits for its next attempt always
   * counts for its key. Default: `"hold"` with `perKey`, otherwise `"release"`.
   */
  whileWaiting?: "hold" | "release";
  /**
   * What happens to the other runs of a key after one has failed permanently, or has timed out. `"continue"`: the next
   * one starts. `"block"`, which needs `perKey: 1`: they wait until a person resumes, replays or releases the failed
   * run. Default: `"continue"`.
   */
  onFailure?: "continue" | "block";
}

/** Settings of workflows and agents. */
interface TargetSettings {
  /**
   * Maximum concurrent runs of the workflow or agent, over all workers: an integer of at least 1. An object has limits
   * for all runs (`limit`) and for the runs of each key (`perKey`). Default: no limit.
   *
   * @example
   *   { perKey: 1 } // one run of each customer at a time, in order
   */
  concurrency?: number | ConcurrencyOptions;
  /**
   * Maximum queued runs of the workflow or agent: an integer of at least 1, e.g. 1000. A webhook that would exceed it
   * is answered 503 `queue_full` with `Retry-After` and starts no run; the sender can retry. Default: no limit.
   */
  maxQueued?: number;
  /**
   * The build on which open runs continue after a deployment. `"pin"`: the one that accepted them, while it is kept.
   * `"latest"`: the current one, so keep `input` and the names of steps compatible; an agent gets its current model,
   * tools and instructions. The option of the current build applies to all open runs. `signalbox dev` always uses the
   * latest build. Default: `"pin"`.
   */
  versions?: VersionPolicy;
}

/** Settings of workflows. */
export interface WorkflowSettings extends TargetSettings {
  /** How failed attempts are retried. Default: 3 attempts with exponential backoff. */
  retries?: RetryOptions;
  /** Maximum duration of one attempt, excluding sleeps, e.g. `"5m"`. Default: 1 hour. */
  timeout?: Duration;
}

/** Settings of agents. */
export interface AgentSettings extends TargetSettings {
  /** Maximum model calls in one run. Default: 20. */
  maxSteps?: number;
  /**
   * Maximum tool calls in one answer of the model and in one run. An answer that requests more fails the run, and none
   * of its calls is executed. Default: 20 per answer, 100 per run.
   */
  maxToolCalls?: AgentToolCalls;
  /** Maximum usage of one run. With a budget, a run whose provider reports no usage fails. Default: no limit. */
  budget?: AgentBudget;
  /** Maximum duration of a run, excluding time spent waiting, e.g. `"10m"`. Default: 1 hour. */
  timeout?: Duration;
  /** Maximum duration of one model call, including its stream. Default: `"5m"`. */
  callTimeout?: Duration;
}

const targetSettings = ["concurrency", "maxQueued", "versions"] as const;
export const workflowSettings = ["retries", "timeout", ...targetSettings] as const;
export const agentSettings = [
  "maxSteps",
  "maxToolCalls",
  "budget",
  "timeout",
  "callTimeout",
  ...targetSettings,
] as const;
