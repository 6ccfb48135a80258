import type { AgentDefinition, MarkedPrompt } from "../definition.ts";
import type { RunKey } from "../run-key.ts";
import type { DeepReadonly, CompileError } from "../schema.ts";
import type { TransformContext } from "./headers.ts";

/**
 * Options of `.attach()` for a workflow. `Result` is the return type of `transform`. It is inferred, to distinguish a
 * misspelt field from one that a spread passed along. There are two forms, and only one of them has a `transform`: it
 * is never optional, so the compiler reports an error in its result at the key.
 */
export type Attachment<Payload, Input, Result, Target, Headers = {}, Query = {}> =
  | (([Payload] extends [DeepReadonly<Input>]
      ? unknown
      : TransformNeeded<"The payload of this source does not match the workflow's input: add transform">) &
      TransformedAttachment<Payload, Result, Target, Headers, Query>)
  | PlainAttachment<[Payload] extends [DeepReadonly<Input>] ? Target : never>;

/** The options that both kinds of targets have. */
interface Keyed {
  /**
   * What the run is about, e.g. a customer or an order: `{ field: "/customer/id" }` or `{ header: "x-account" }`. A
   * field is a JSON Pointer or names joined by dots, into the payload that `request` parsed. Its value is a string or
   * an integer. An array of two or three makes one key of all of them. The receiver reads it when it accepts the
   * webhook. A run without one of the values has no key. Lists of runs filter by it. Default: no key.
   */
  key?: RunKey;
}

export interface PlainAttachment<Target> extends Keyed {
  /** The workflow that a matching webhook starts: the default export of a file in `workflows/`. */
  workflow: Target;
  agent?: undefined;
  prompt?: undefined;
}

export interface TransformedAttachment<
  Payload,
  Result,
  Target,
  Headers = {},
  Query = {},
> extends PlainAttachment<Target> {
  /**
   * Builds the run's input from the payload that `request` parsed, and from the headers and the query of the request.
   * Can be async. It runs in a worker at the start of the run. An exception fails the run without a retry and appears
   * in its timeline. A field of an object literal that neither the input nor the payload has is a type error, at every
   * depth. Default: the payload itself is the input.
   */
  transform: (payload: Payload, context: TransformContext<Headers, Query>) => Result | Promise<Result>;
}

/** The compiler names this type if `transform` is missing, and so prints the explanation. */
export interface TransformNeeded<_Sentence extends string> {
  transform: {};
}

/** `unknown` if the value has every path of the template; otherwise a `CompileError` that names the first missing path. */
type PromptPaths<Template extends string, Value> = string extends Template
  ? unknown
  : WrongPath<Template, Value> extends infer Wrong
    ? [Wrong] extends [never]
      ? unknown
      : CompileError<`The result of transform has no ${Wrong & string}: correct the path between {{ and }}`>
    : never;

type WrongPath<Template extends string, Value> = Template extends `${string}{{${infer Path}}}${infer Rest}`
  ? HasPath<Value, Trimmed<Path>> extends true
    ? WrongPath<Rest, Value>
    : Trimmed<Path>
  : never;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}`
  ? Trimmed<Rest>
  : Text extends `${infer Rest} `
    ? Trimmed<Rest>
    : Text;

/** A union has every path of its members: a missing value becomes empty. */
type HasPath<Value, Path extends string> = unknown extends Value
  ? true
  : true extends (Value extends unknown ? MemberHasPath<Value, Path> : never)
    ? true
    : false;

type MemberHasPath<Value, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? FieldOf<Value, Name> extends infer Field
    ? [Field] extends [never]
      ? false
      : HasPath<Exclude<Field, null | undefined>, Rest>
    : false
  : [FieldOf<Value, Path>] extends [never]
    ? false
    : true;

type FieldOf<Value, Name extends string> = Value extends readonly (infer Item)[]
  ? Name extends `${number}`
    ? Item
    : never
  : Value extends object
    ? Name extends keyof Value
      ? Value[Name]
      : Name extends `${infer Key extends number}`
        ? Key extends keyof Value
          ? Value[Key]
          : never
        : never
    : never;

/**
 * Options of `.attach()` for an agent. `Result` is the return type of `transform`; without a transform, the prompt is
 * built from the payload. `Given` is the type of `agent`, even if it is no agent.
 */
export interface AgentAttachment<
  Payload,
  Result,
  Template extends string,
  Given,
  Target,
  Headers = {},
  Query = {},
> extends Keyed {
  /** The agent that a matching webhook starts: the default export of a file in `agents/`. */
  agent: Target;
  workflow?: undefined;
  /**
   * Builds the value that fills the prompt, from the payload that `request` parsed, and from the headers of the
   * request. Can be async. An exception fails the run.
   */
  transform?: ((payload: Payload, context: TransformContext<Headers, Query>) => Result | Promise<Result>) &
    OnlyForAgents<Given>;
  /**
   * The prompt: a string with `{{ path }}` placeholders for values of the payload, or a function. A missing value
   * becomes empty, an object becomes JSON. Placeholders contain no code. In the prompt, delimiters show the model which
   * parts came from the payload. The compiler checks paths into the result of `transform`; the build checks paths into
   * the payload.
   */
  prompt: (Template & PromptPaths<Template, Result>) | PromptFunction<unknown extends Result ? Payload : Result>;
}

/** Fits nothing if a workflow is attached, so that the compiler reports the error on the line at fault. */
type OnlyForAgents<Given> = Given extends AgentDefinition ? unknown : never;

/**
 * Builds a prompt from the payload. If it returns a plain string, all of it is marked as payload. The tag marks only
 * the inserted values: ``prompt: (payload, text) => text`New mail from ${payload.from}` ``.
 */
export type PromptFunction<Value> = (
  payload: Value,
  text: PromptTag,
) => string | MarkedPrompt | Promise<string | MarkedPrompt>;

/** A template tag that marks the values between `${` and `}` as payload. */
export type PromptTag = (texts: TemplateStringsArray, ...values: unknown[]) => MarkedPrompt;
