import type { Mistake } from "../mistake.ts";

/** `unknown` if the value has every path of the template; else a `Mistake` that names the first missing path. */
export type PromptPaths<Template extends string, Value> = string extends Template
  ? unknown
  : WrongPath<Template, Value> extends infer Wrong
    ? [Wrong] extends [never]
      ? unknown
      : Mistake<`The result of transform has no ${Wrong & string}: correct the path between {{ and }}`>
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
