import type { CompileError } from "./schema.ts";

/**
 * The type of a value after it was stored as JSON, as `ctx.step` returns it:
 *
 * - What has `toJSON` is what that returns: a `Date` is a string.
 * - Fields that may be `undefined` are optional. Functions and fields with a symbol as their key are left out.
 * - `undefined`, and a function in an array, is `null`.
 * - A value that cannot be stored is a `CompileError` with an explanation: a bigint, a Map, a Set, a Response, a promise.
 *
 * `any` and `unknown` stay as they are.
 *
 * @example
 *   import type { Jsonify } from "signalbox/workflow";
 *
 *   type Stored = Jsonify<{ at: Date; note?: string }>; // { at: string; note?: string }
 */
export type Jsonify<T> = 0 extends 1 & T ? T : unknown extends T ? T : Stored<T>;

type Stored<T> = T extends string | number | boolean | null
  ? T
  : T extends Absent
    ? null
    : T extends bigint
      ? CompileError<"JSON has no bigint: return String(value)">
      : T extends { toJSON(...args: never): infer Result }
        ? Jsonify<Result>
        : T extends readonly (infer Item)[]
          ? number extends T["length"]
            ? Jsonify<Item>[]
            : { -readonly [K in keyof T]: Jsonify<T[K]> }
          : T extends ReadonlyMap<unknown, unknown>
            ? CompileError<"A Map is stored as {}: return Object.fromEntries(map)">
            : T extends ReadonlySet<unknown>
              ? CompileError<"A Set is stored as {}: return [...set]">
              : T extends PromiseLike<unknown>
                ? CompileError<"A promise is stored as {}: await it">
                : T extends { arrayBuffer(): PromiseLike<unknown> }
                  ? CompileError<"A Response, a Request or a Blob is stored as {}: return what you need of it, such as await response.json()">
                  : T extends ArrayBuffer | ArrayBufferView
                    ? CompileError<"Bytes have no form in JSON: return them in base64">
                    : T extends RegExp
                      ? CompileError<"A RegExp is stored as {}: return its source">
                      : Fields<T>;

type Code = symbol | ((...args: never) => unknown) | (abstract new (...args: never) => unknown);

/** Left out of an object, and `null` elsewhere. A function without a result returns `void`. */
type Absent = undefined | void | Code;

type Fields<T> = [MaybeAbsentKeys<T>] extends [never]
  ? { -readonly [K in keyof T as StoredKey<T, K>]: Field<T[K]> }
  : Flat<
      { -readonly [K in keyof T as K extends MaybeAbsentKeys<T> ? never : StoredKey<T, K>]: Field<T[K]> } & {
        -readonly [K in MaybeAbsentKeys<T>]?: Field<T[K]>;
      }
    >;

type Flat<T> = { [K in keyof T]: T[K] };

/** Keys without `?` whose value may be absent. */
type MaybeAbsentKeys<T> = {
  [K in keyof T]-?: {} extends Pick<T, K>
    ? never
    : unknown extends T[K]
      ? never
      : [Extract<T[K], Absent>] extends [never]
        ? never
        : [StoredKey<T, K>] extends [never]
          ? never
          : K;
}[keyof T];

/** A field that can only have a function or a symbol is never stored. */
type StoredKey<T, K extends keyof T> = K extends symbol
  ? never
  : [T[K]] extends [never]
    ? K
    : [Exclude<T[K], Code>] extends [never]
      ? never
      : K;

type Field<T> = 0 extends 1 & T
  ? T
  : [T] extends [never]
    ? T
    : [Exclude<T, Absent>] extends [never]
      ? undefined
      : Jsonify<Exclude<T, Absent>>;
