import type { Mistake } from "../mistake.ts";
import type { DeepReadonly } from "../schema.ts";

/**
 * Options of `.attach()` for a workflow. `Result` is the return type of `transform`. It is inferred, to distinguish a
 * misspelt field from one that a spread passed along.
 */
export type Attachment<Payload, Input, Result, Target> = AttachmentFields<Payload, Input, Result, Target> &
  ([Payload] extends [DeepReadonly<Input>]
    ? unknown
    : TransformNeeded<"The payload of this source does not match the workflow's input: add transform">);

export interface AttachmentFields<Payload, Input, Result, Target> {
  /** The workflow that a matching webhook starts: the default export of a file in `workflows/`. */
  workflow: Target;
  agent?: undefined;
  prompt?: undefined;
  /**
   * Builds the run's input from the payload that `request` parsed. Can be async. It runs in a worker at the start of
   * the run. An exception fails the run without a retry and appears in its timeline. Default: the payload itself is the
   * input.
   */
  transform?: ((payload: Payload) => Result | Promise<Result>) & NothingMisspelt<Result, Input, Payload>;
}

/** The compiler names this type if `transform` is missing, and so prints the explanation. */
export interface TransformNeeded<_Sentence extends string> {
  transform: {};
}

/**
 * TypeScript allows a function to return additional fields, so a misspelt optional field would cause no error. With
 * this type, a written-out field is an error if neither the input nor the payload has it.
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

/** `...payload.customer` adds the customer's fields. */
type NestedKeysOf<T> = T extends object ? KeysOf<T[keyof T]> : never;
