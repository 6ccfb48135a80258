import type { Duration } from "../duration.ts";
import type { Jsonify } from "../jsonify.ts";

/** A workflow or an agent: what `defineWorkflow` and `defineAgent` return. */
export type ChildTarget =
  | { readonly slug: string; readonly "~types"?: { readonly input: unknown; readonly output: unknown } }
  | { readonly slug: string; readonly "~types"?: { readonly output: unknown } };

type TypesOf<Target extends ChildTarget> = NonNullable<Target["~types"]>;

/** The input of a child run: that of the workflow's `input` schema, or the prompt of an agent. */
export type ChildInput<Target extends ChildTarget> =
  TypesOf<Target> extends { readonly input: infer Input } ? Input : { readonly prompt: string };

/** The output of a child run, after a JSON round trip. */
export type ChildOutput<Target extends ChildTarget> =
  TypesOf<Target> extends { readonly output: infer Output } ? Jsonify<Output> : never;

/** Options of `ctx.start`. */
export interface StartOptions {
  /** What the run is about, e.g. `"customer_7"`: a string of at most 200 characters. Default: nothing. */
  key?: string;
}

/** Options of `ctx.call`. */
export interface CallOptions extends StartOptions {
  /**
   * How long to wait for the run, from the call, e.g. `"1h"`. At most `"366d"`. Then it is canceled, unless
   * `onParentEnd` is `"continue"`. Default: no limit.
   */
  timeout?: Duration;
  /** What happens to an open child run if this run fails or is canceled. Default: `"cancel"`. */
  onParentEnd?: "cancel" | "continue";
}
