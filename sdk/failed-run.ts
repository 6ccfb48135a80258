/** A run that failed permanently, as `onFailure` receives it. */
export interface FailedRun<Input = unknown> {
  /** The failed run's id, `run_…`. `ctx.run.id` is the id of the run that executes `onFailure`. */
  readonly id: string;
  /** `timed_out`: its last attempt exceeded `timeout`. */
  readonly status: "failed" | "timed_out";
  /** The error of the last attempt. `stack` refers to your source files; `null` if the error had none. */
  readonly error: { readonly name: string; readonly message: string; readonly stack: string | null };
  /** The input of `run`. `null` if there was none: the transform threw, or its result did not match the input schema. */
  readonly input: Input | null;
  /** The payload that its trigger accepted, as JSON. `null` if no trigger started the run. */
  readonly payload: unknown;
  /** The number of the last attempt: 1 if the run was not retried. */
  readonly attempts: number;
  /** Slug of the trigger that started the run; `null` if the run was started without a trigger. */
  readonly trigger: string | null;
  /** Id of the delivery that started the run, `dlv_…`; `null` if no webhook started it. */
  readonly deliveryId: string | null;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  /** ISO 8601, UTC. */
  readonly finishedAt: string;
}
