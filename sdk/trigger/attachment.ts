import type { Mistake } from "../mistake.ts";
import type { DeepReadonly } from "../schema.ts";

/**
 * What `.attach()` takes. `Result` is what the transform returns; it is inferred, to tell a misspelt field from one
 * that was only passed along.
 */
export type Attachment<Payload, Input, Result, Target> = AttachmentFields<Payload, Input, Result, Target> &
  ([Payload] extends [DeepReadonly<Input>]
    ? unknown
    : TransformNeeded<"The payload of this source does not fit the workflow's input: add transform">);

export interface AttachmentFields<Payload, Input, Result, Target> {
  /** The workflow that a matching webhook starts: the default export of a file in `workflows/`. */
  workflow: Target;
  agent?: undefined;
  prompt?: undefined;
  /**
   * Makes the run's input from the payload. Gets the payload as `request` parsed it; may be async. It runs at the
   * beginning of the run, in a worker: what it throws fails the run, with the error in its timeline, and is not
   * retried. Without a transform the payload itself is the input.
   */
  transform?: ((payload: Payload) => Result | Promise<Result>) & NothingMisspelt<Result, Input, Payload>;
}

/** The compiler names this type where `transform` is missing, and so says the sentence. */
export interface TransformNeeded<_Sentence extends string> {
  transform: {};
}

/**
 * The compiler by itself lets a function return more fields than were asked for, so that a misspelt optional field goes
 * by in silence. Here a field that was written out, that the input does not know and that did not come with the
 * payload, is an error.
 */
type NothingMisspelt<Result, Input, Payload> = unknown extends Input
  ? unknown
  : [Misspelt<Result, Input, Payload>] extends [never]
    ? unknown
    : Mistake<`The workflow's input has no field ${Misspelt<Result, Input, Payload>}: correct its name, or leave it out`>;

type Misspelt<Result, Input, Payload> = string &
  Exclude<WrittenKeys<Result>, KeysOf<Input> | KeysOf<Payload> | NestedKeysOf<Payload>>;

/**
 * Keys of object literals. `Result` is inferred as a `const`, which makes the fields of literals, and only those,
 * readonly.
 */
type WrittenKeys<Result> = Result extends readonly unknown[]
  ? never
  : Result extends object
    ? { [K in keyof Result]-?: IsReadonly<Result, K> extends true ? K : never }[keyof Result]
    : never;

type IsReadonly<T, K extends keyof T> =
  (<X>() => X extends { [P in K]: T[P] } ? 1 : 2) extends <X>() => X extends { readonly [P in K]: T[P] } ? 1 : 2
    ? true
    : false;

/** Of a union, the keys of every member. */
type KeysOf<T> = T extends unknown ? keyof T : never;

/** `...payload.customer` brings the customer's fields along. */
type NestedKeysOf<T> = T extends object ? KeysOf<T[keyof T]> : never;
