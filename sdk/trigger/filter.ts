import type { CompileError } from "../schema.ts";

/**
 * `unknown` if bodies of the type `Body` can match the filter; otherwise options whose `filter` is a `CompileError`
 * that names each path at fault. `Add` says how a missing field is added.
 */
export type ValidFilter<Body, Filter, Add extends string = "add the field to request"> = unknown extends Filter
  ? unknown
  : [Fault<Body, Filter, "", Add>] extends [infer Message extends string]
    ? [Message] extends [never]
      ? unknown
      : { filter: CompileError<Message> }
    : never;

/**
 * The payloads whose bodies match the filter: of a union, the members that the filter does not exclude, at every depth.
 * `Body` is the type as sent. The filter reads the body as sent, so it says nothing of a value that `request` changes:
 * a default, or the output of a pipe. A string stays a string, because `.trim()` may have changed it.
 */
export type Narrowed<Payload, Body, Filter> = [Filter] extends [never]
  ? Payload
  : Narrow<Payload, Payload, Body, Filter>;

type Primitive = string | number | bigint | boolean | null | undefined;

/** Recursive schemas are compared to this depth. */
type IsDeep<Depth extends readonly 0[]> = Depth["length"] extends 6 ? true : false;

/** The objects among the members of a union. */
type ObjectsOf<T> = T extends Primitive | readonly unknown[] ? never : IsEmpty<T> extends true ? {} : T;

/** `z.object({})` has the type of an object without any field. */
type IsEmpty<T> = string extends keyof T ? ([T[keyof T]] extends [never] ? true : false) : false;

/** Of a union, the keys of every member. */
type KeysOf<T> = T extends unknown ? keyof T : never;

/** Of a union, the field of every member that has it. */
type FieldOf<T, Key> = T extends unknown ? (Key extends keyof T ? T[Key] : never) : never;

type ItemsOf<T> = T extends readonly (infer Item)[] ? Item : never;

type Under<Path extends string, Key extends string> = Path extends "" ? Key : `${Path}.${Key}`;

// ---- faults ----

/** The faults of a filter, in words. `Path` is the path of `Filter` in the body. */
type Fault<Body, Filter, Path extends string, Add extends string, Depth extends readonly 0[] = []> = true extends
  | IsDeep<Depth>
  | (unknown extends Body ? true : false)
  | (unknown extends Filter ? true : false)
  | ([Body] extends [never] ? true : false)
  | ([Filter] extends [never] ? true : false)
  ? never
  : [MemberFault<Body, Filter, Path, Add, Depth>] extends [never]
    ? [Overlap<Body, Filter>] extends [never]
      ? Contradiction<Path>
      : never
    : MemberFault<Body, Filter, Path, Add, Depth>;

/** Each member of a union of filters must be possible. */
type MemberFault<
  Body,
  Filter,
  Path extends string,
  Add extends string,
  Depth extends readonly 0[],
> = Filter extends Primitive
  ? ImpossibleValue<Body, Filter, Path>
  : Filter extends readonly unknown[]
    ? number extends Filter["length"]
      ? Fault<ItemsOf<Body>, ItemsOf<Filter>, `${Path}[]`, Add, [...Depth, 0]>
      : never
    : [Matching<ObjectsOf<Body>, Filter>] extends [never]
      ? FieldFault<ObjectsOf<Body>, Filter, Path, Add, Depth>
      : FieldFault<Matching<ObjectsOf<Body>, Filter>, Filter, Path, Add, Depth>;

/** The faults of the fields of a filter that is an object. */
type FieldFault<Bodies, Filter, Path extends string, Add extends string, Depth extends readonly 0[]> = [
  Bodies,
] extends [never]
  ? never
  : {
      [Key in keyof Filter & string]-?: string extends Key
        ? never
        : [Exclude<Filter[Key], undefined>] extends [never]
          ? never
          : Key extends KeysOf<Bodies>
            ? Fault<FieldOf<Bodies, Key>, Exclude<Filter[Key], undefined>, Under<Path, Key>, Add, [...Depth, 0]>
            : `The request schema has no field ${Under<Path, Key>}: correct its name, or ${Add}`;
    }[keyof Filter & string];

/** The members of a union of bodies that a filter does not exclude. */
type Matching<Body, Filter> = Body extends unknown ? ([Overlap<Body, Filter>] extends [never] ? never : Body) : never;

/** A string or number of the filter that the body never has at this path. */
type ImpossibleValue<Body, Value, Path extends string> = Value extends string | number
  ? [Overlap<Body, Value>] extends [never]
    ? string extends Value
      ? never
      : number extends Value
        ? never
        : `The request schema does not allow '${Value}' at ${Path}: correct the value, or add it to request`
    : never
  : never;

type Contradiction<Path extends string> =
  `No body can match both request and filter at ${Path extends "" ? "the top level" : Path}: correct one of them`;

// ---- overlap ----

/** `true` if a value can have both types; otherwise `never`. */
type Overlap<A, B, Depth extends readonly 0[] = []> = unknown extends A
  ? true
  : unknown extends B
    ? true
    : A extends unknown
      ? B extends unknown
        ? OverlapOfMembers<A, B, Depth>
        : never
      : never;

type OverlapOfMembers<A, B, Depth extends readonly 0[]> = A extends Primitive
  ? B extends Primitive
    ? [Common<A, B>] extends [never]
      ? never
      : true
    : never
  : B extends Primitive
    ? never
    : A extends readonly unknown[]
      ? B extends readonly unknown[]
        ? true
        : never
      : B extends readonly unknown[]
        ? never
        : true extends IsDeep<Depth> | IsEmpty<A>
          ? true
          : [DisjointKeys<A, B, Depth>] extends [never]
            ? true
            : never;

/** As templates, the values of a TypeScript enum are those of its literals. */
type Common<A, B> = A extends string
  ? B extends string
    ? `${A}` & `${B}`
    : never
  : A extends number
    ? B extends number
      ? `${A}` & `${B}`
      : never
    : A & B;

/** A schema ignores fields that it does not name, so only shared fields can exclude each other. */
type DisjointKeys<A, B, Depth extends readonly 0[]> = {
  [Key in keyof A & keyof B]-?: [Overlap<A[Key], B[Key], [...Depth, 0]>] extends [never] ? Key : never;
}[keyof A & keyof B];

// ---- narrowing ----

/** `All` is the union that contains `Payload`. It shows whether `request` changes values at this path. */
type Narrow<Payload, All, Body, Filter, Depth extends readonly 0[] = []> = true extends
  | IsDeep<Depth>
  | (unknown extends Payload ? true : false)
  | ([Payload] extends [Filter] ? true : false)
  ? Payload
  : Payload extends unknown
    ? NarrowMember<Payload, All, Body, MatchingFilters<AsSent<Payload, All, Body>, Filter>, Depth>
    : never;

/** The members of a union of filters that a body of this type can match. */
type MatchingFilters<Body, Filter> = Filter extends unknown
  ? [Overlap<Body, Filter>] extends [never]
    ? never
    : Filter
  : never;

/** The type of a payload before `request` parsed it, with `unknown` for every value that `request` changes. */
type AsSent<Payload, All, Body> = unknown extends Body
  ? unknown
  : Payload extends Primitive
    ? [Exclude<Extract<Body, string | number | boolean>, All>] extends [never]
      ? Payload
      : unknown
    : Payload extends readonly unknown[]
      ? Payload
      : {
          [Key in keyof Payload]:
            | AsSent<Payload[Key], FieldOf<All, Key>, FieldOf<Body, Key>>
            | (undefined extends FieldOf<Body, Key> ? undefined : never);
        };

type NarrowMember<Payload, All, Body, Filter, Depth extends readonly 0[]> = [Filter] extends [never]
  ? never
  : Payload extends Primitive
    ? Payload
    : Payload extends readonly unknown[]
      ? NarrowList<Payload, All, Body, Filter, Depth>
      : string extends keyof Payload
        ? Payload
        : Flat<
            {
              [Key in keyof Payload as Key extends RequiredKeys<Payload, Filter> ? never : Key]: NarrowField<
                Payload,
                Key,
                All,
                Body,
                Filter,
                Depth
              >;
            } & {
              [Key in keyof Payload as Key extends RequiredKeys<Payload, Filter> ? Key : never]-?: NarrowField<
                Payload,
                Key,
                All,
                Body,
                Filter,
                Depth
              >;
            }
          >;

type Flat<T> = { [Key in keyof T]: T[Key] };

/** Optional fields that the filter requires. */
type RequiredKeys<Payload, Filter> = {
  [Key in keyof Payload]-?: undefined extends Payload[Key]
    ? Key extends keyof Filter
      ? undefined extends Filter[Key]
        ? never
        : Key
      : never
    : never;
}[keyof Payload];

/** A field that may be absent in the body may be a default, of which an optional condition says nothing. */
type NarrowField<
  Payload,
  Key extends keyof Payload,
  All,
  Body,
  Filter,
  Depth extends readonly 0[],
> = Key extends keyof Filter
  ? undefined extends Filter[Key] & FieldOf<Body, Key>
    ? Payload[Key]
    : Narrow<Payload[Key], FieldOf<All, Key>, FieldOf<Body, Key>, Filter[Key], [...Depth, 0]>
  : Payload[Key];

type NarrowList<
  List extends readonly unknown[],
  All,
  Body,
  Filter,
  Depth extends readonly 0[],
> = number extends List["length"]
  ? Filter extends readonly unknown[]
    ? List extends unknown[]
      ? Narrow<List[number], ItemsOf<All>, ItemsOf<Body>, ItemsOf<Filter>, [...Depth, 0]>[]
      : readonly Narrow<List[number], ItemsOf<All>, ItemsOf<Body>, ItemsOf<Filter>, [...Depth, 0]>[]
    : List
  : List;
