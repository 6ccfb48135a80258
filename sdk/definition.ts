/**
 * What definitions look like at run time. The build and the workers read these; users never see them. The mark is a registered
 * symbol, so that two copies of the SDK in one project understand each other.
 */
export const definitionKind: unique symbol = Symbol.for("signalbox.definition") as never;

/** Any Zod schema, of Zod 4 or Zod 3. */
export interface SchemaLike {
  safeParse(value: unknown): unknown;
}

/** Milliseconds, or a number with its unit: `"250ms"`, `"10s"`, `"5m"`, `"1.5h"`, `"7d"`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h" | "d"}`;

export interface RetryOptions {
  /** Attempts in all, the first included. 1 means: never tried again. Default 3. */
  attempts?: number;
  /** `exponential` doubles the wait each time; `fixed` keeps it. Default `exponential`. */
  backoff?: "exponential" | "fixed";
  /** Wait before the second attempt. Default `"1s"`. */
  initialDelay?: Duration;
  /** Longest wait between two attempts. Default `"1h"`. */
  maxDelay?: Duration;
}

export interface SourceDefinition {
  readonly [definitionKind]: "source";
  readonly slug: string;
  readonly endpoint: string;
  readonly request: SchemaLike;
  readonly filter: SchemaLike | undefined;
}

export interface WorkflowDefinition {
  readonly [definitionKind]: "workflow";
  readonly slug: string;
  readonly input: SchemaLike;
  readonly output: SchemaLike | undefined;
  readonly retries: RetryOptions | undefined;
  readonly timeout: Duration | undefined;
  readonly concurrency: number | undefined;
  readonly run: (input: never, ctx: never) => unknown;
}

/** Stands for a target in the sources bundle, where its code is left out. */
export interface TargetReference {
  readonly [definitionKind]: "reference";
  readonly kind: "workflow" | "agent";
  readonly slug: string;
}

export interface TriggerDefinition {
  readonly [definitionKind]: "trigger";
  readonly source: SourceDefinition;
  readonly target: WorkflowDefinition | TargetReference;
  readonly transform: ((payload: never) => unknown) | undefined;
}
