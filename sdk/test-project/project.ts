import type { ModelLike } from "../definition.ts";
import type { Duration } from "../duration.ts";

/** Options of `testProject`. */
export interface TestProjectOptions {
  /**
   * The folder of the project. Workflows run in the folder of the test process, so start the tests there. Default: the
   * current folder.
   */
  projectDir?: string;
  /** The time of the virtual clock at the start: a Date, or an ISO 8601 string. Default: the current time. */
  now?: Date | string;
  /** Models that take the place of those of the agents, by the agent's slug, e.g. `scriptedModel({ … })`. */
  models?: Readonly<Record<string, ModelLike>>;
  /**
   * Maximum real time of `settle`, `fire` and `testRun`. It is shorter than the time limit of most test runners, so
   * that the error names the step that does not end. Default: `"4s"`.
   */
  timeout?: Duration;
}

/** A project in this process: its build, the receiver, an in-memory store, and workers with a virtual clock. */
export interface TestProject {
  /**
   * Sends a webhook to an endpoint. Its runs are recorded, but not executed: call `settle`. `body` is a fixture, a JSON
   * value (sent in the format of the endpoint), or a string or bytes, which are sent as they are. Never rejects for a
   * request that the service rejects: the result has the response.
   */
  deliver(endpoint: string, body: unknown, options?: DeliverOptions): Promise<TestDelivery>;
  /**
   * Executes all open runs to their ends, or until they wait for an approval or for an event. Returns them and their
   * child runs, oldest first.
   */
  settle(): Promise<TestRun[]>;
  /**
   * Executes the runs of a delivery, or one run, to their ends. Sleeps and delays of retries are skipped: the virtual
   * clock moves to their ends. A run that waits for an approval or for an event stays in `waiting`: call `approve`, or
   * `deliver` the event. `clock.advance` passes the timeout of a wait. Also executes `onFailure` and child runs, so a
   * run also stays in `waiting` if it has called a run that does.
   *
   * Returns the run of `options.trigger`, or the only run that the delivery has started or, if it has started none, the
   * only one that it woke. Throws an Error if there is none, several runs (set `trigger`), or a run that does not end
   * in time.
   */
  settle(started: TestDelivery | TestRun, options?: SettleOptions): Promise<TestRun>;
  /**
   * Starts a trigger with a body, without a request, and settles its run. The body goes through `request`, `filter` and
   * `transform`. Throws an Error with the reasons if the body does not match.
   */
  fire(trigger: string, body: unknown, options?: RunOptions): Promise<TestRun>;
  /**
   * Starts a workflow with its input, or an agent with its prompt, and settles the run. Throws an Error if the input
   * does not match.
   */
  testRun(target: string, input: unknown, options?: TestRunOptions): Promise<TestRun>;
  /** Approves all pending tool calls of a run. Call `settle` afterwards. */
  approve(run: TestRun): Promise<void>;
  /** Denies all pending tool calls of a run. The model gets the reason. Call `settle` afterwards. */
  deny(run: TestRun, reason?: string): Promise<void>;
  readonly clock: TestClock;
  /** Closes the store. Runs that are executing are abandoned. */
  close(): Promise<void>;
}

/** The virtual clock of a test project. It does not advance, unless `settle` skips a wait or a test moves it. */
export interface TestClock {
  /** The virtual time. `Date.now()` in your code is still the real time. */
  now(): Date;
  /** Moves the clock, and executes the runs that become due in the meantime, in order. */
  advance(duration: Duration): Promise<void>;
}

/** Options of `deliver`. */
export interface DeliverOptions {
  /** Request headers. They replace those of a fixture. */
  headers?: Readonly<Record<string, string>>;
  /** Parameters of the URL; a repeated one has an array. They replace those of a fixture. Default: none. */
  query?: Readonly<Record<string, string | readonly string[]>>;
  /** With `"GET"`, the body is the query: pass an object of strings. Default: the first method of the endpoint. */
  method?: "POST" | "GET";
  /**
   * `true` signs the request as the sender does, with the secret of the endpoint; an unset secret is replaced for the
   * test. `false` sends it unsigned, and the endpoint rejects it. Default: an endpoint that verifies signatures accepts
   * the request without one.
   */
  sign?: boolean;
}

/** Options that apply to the runs that are executed, and to their child runs. */
export interface RunOptions {
  /**
   * Replaces the functions of steps, by name: a function is called in their place, any other value is the result. The
   * second step with the same name is `name#2`. The name of a `ctx.call` or `ctx.start` replaces the code of the child
   * run: a function is called with its input, and the result is its output. It must match the `output` of the target.
   * The name of its own step replaces that step.
   */
  mockStep?: Readonly<Record<string, unknown>>;
  /** Fails a step, or an attempt of a child run. Its function is not called. A string fails the first try of this step. */
  failAt?: string | FailAt;
  /** Ends the worker after this step, once: the run is continued from its first line, with its stored results. */
  crashAfter?: string;
  /**
   * Ends the worker after every step and before the end of the run. Throws an Error if the code is not deterministic:
   * it calls other steps than before, or returns another output.
   */
  replayEveryStep?: boolean;
}

/** A step that fails. */
export interface FailAt {
  step: string;
  /** Default: an Error that says that the test failed the step. */
  error?: unknown;
  /** The number of tries that fail. `Infinity` fails all of them. Default: 1. */
  times?: number;
}

/** Options of `settle`. */
export interface SettleOptions extends RunOptions {
  /** The slug of the trigger whose run is returned. Needed if the delivery has started several runs. */
  trigger?: string;
}

/** Options of `testRun`. */
export interface TestRunOptions extends RunOptions {
  /** The results of steps that have completed before, by name: these steps are not executed. */
  stored?: Readonly<Record<string, unknown>>;
}

/** A webhook, as it was received and decided. */
export interface TestDelivery {
  /** `null`: it was not recorded, because it was rejected at once. */
  readonly id: string | null;
  readonly endpoint: string;
  /** The status of the response. */
  readonly status: number;
  /** The body of the response: parsed if it is JSON, otherwise text. */
  readonly response: unknown;
  readonly outcome: "accepted" | "skipped" | "rejected" | "repeated" | "held";
  /** What each trigger on the endpoint decided. */
  readonly verdicts: readonly TestVerdict[];
  /** The runs that it has started. */
  readonly runs: readonly { readonly id: string; readonly trigger: string; readonly target: TestTarget }[];
  /** The runs that waited for it, with the slug of the source. */
  readonly woke: readonly { readonly id: string; readonly source: string }[];
  /** Why it was rejected. */
  readonly problem: { readonly code: string; readonly title: string; readonly detail: string } | null;
}

/** The decision of one trigger about a delivery. */
export interface TestVerdict {
  readonly trigger: string;
  /** `null`: it starts nothing. It only wakes the runs that wait for it. */
  readonly target: TestTarget | null;
  readonly outcome:
    | "matched"
    | "headers_mismatch"
    | "query_mismatch"
    | "request_mismatch"
    | "filter_mismatch"
    | "disabled";
  readonly reasons: readonly {
    /** JSON Pointer, e.g. `/action`. */
    readonly pointer: string;
    readonly code: string;
    readonly message: string;
    readonly expected: string | null;
    readonly actual: string | null;
  }[];
}

export interface TestTarget {
  readonly kind: "workflow" | "agent";
  readonly slug: string;
}

/** A run, as it is recorded. */
export interface TestRun {
  readonly id: string;
  readonly status: "queued" | "running" | "waiting" | "completed" | "failed" | "canceled" | "timed_out";
  readonly trigger: string | null;
  readonly target: TestTarget;
  readonly deliveryId: string | null;
  /** The failed run whose `onFailure` it executes. */
  readonly failureOf: string | null;
  /** Its parent: the run that has called or started it. */
  readonly childOf: string | null;
  /** What it is about. `null`: its trigger has no key. Empty: the webhook had no value for it. */
  readonly key: string | null;
  /** The number of the last attempt, from 1. */
  readonly attempt: number;
  readonly input: unknown;
  readonly output: unknown;
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null } | null;
  /** By the virtual clock, ISO 8601. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
  /** Steps, sleeps, waits, approvals and child runs, in the order in which they began. */
  readonly steps: readonly TestStep[];
  readonly logs: readonly { readonly level: string; readonly message: string; readonly data: unknown }[];
  /** The tool calls of an agent that have ended. `outcome`: `done`, `failed`, `invalid` or `denied`. */
  readonly toolCalls: readonly {
    readonly tool: string;
    readonly input: unknown;
    readonly outcome: string;
    readonly output: unknown;
  }[];
  /** The tool calls that wait for `approve` or `deny`. */
  readonly approvals: readonly { readonly tool: string; readonly input: unknown }[];
  /** The run of its `onFailure`; `null`: it has not failed, or its target has no `onFailure`. */
  readonly onFailure: TestRun | null;
  /** The runs that it has called or started, oldest first. */
  readonly children: readonly TestRun[];
}

export interface TestStep {
  readonly kind: "step" | "sleep" | "event" | "approval" | "child";
  readonly name: string;
  /** The number of times that its function was called. */
  readonly tries: number;
  /** Whether it has ended: a step has its result. */
  readonly isDone: boolean;
  /**
   * Of a step that has ended. Of a wait, its delivery and the payload, or `null` at the timeout. Of a child run, its
   * `runId` and, if it was called, its `status`: `children` of the run has its output.
   */
  readonly result: unknown;
}
