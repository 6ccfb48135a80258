import type { CompileError } from "../schema.ts";

/**
 * TypeScript allows a function to return additional fields, so a misspelt optional field would cause no error. With
 * this constraint on its return type, a written-out field is an error if neither the input nor the payload has it. The
 * compiler reports it at the key if the function is an arrow function that returns an object literal, and otherwise at
 * the function.
 */
export type NothingMisspelt<Result, Input, Payload> = [MisspeltPath<Result, Input, Payload>] extends [never]
  ? unknown
  : Marked<MisspeltPath<Result, Input, Payload>, "">;

/**
 * The paths of misspelt fields, as tuples. `Result` is inferred as a `const`, which makes the fields of object literals
 * readonly, and lists of literals tuples. Values from elsewhere are not checked.
 */
type MisspeltPath<Result, Input, Payload> = true extends
  | (unknown extends Input ? true : false)
  | (unknown extends Result ? true : false)
  | ([Input] extends [never] ? true : false)
  ? never
  : Result extends readonly unknown[]
    ? number extends Result["length"]
      ? never
      : {
          [Index in keyof Result]: Index extends `${number}`
            ? Under<Index, MisspeltPath<Result[Index], ItemOf<Input, Index>, Payload>>
            : never;
        }[number]
    : Result extends object
      ? {
          [Key in keyof Result & string]-?: string extends Key
            ? never
            : IsReadonly<Result, Key> extends true
              ? Key extends KeysOf<Input>
                ? Under<Key, MisspeltPath<Result[Key], FieldOf<Input, Key>, Payload>>
                : Key extends KeysWithin<Payload>
                  ? never
                  : [Key]
              : never;
        }[keyof Result & string]
      : never;

type Under<Key extends string, Path> = Path extends readonly string[] ? [Key, ...Path] : never;

type IsReadonly<T, K extends keyof T> =
  (<X>() => X extends { [P in K]: T[P] } ? 1 : 2) extends <X>() => X extends { readonly [P in K]: T[P] } ? 1 : 2
    ? true
    : false;

/** Of a union, the keys of every object. */
type KeysOf<T> = T extends object ? keyof T : never;

/** Of a union, the field of every object that has it. */
type FieldOf<T, Key> = T extends object ? (Key extends keyof T ? T[Key] : never) : never;

type ItemOf<T, Index> = T extends readonly unknown[] ? (Index extends keyof T ? T[Index] : T[number]) : never;

/** The named keys of a payload, at every depth: a spread of any part of it passes them along. */
type KeysWithin<T, Depth extends readonly 0[] = []> = Depth["length"] extends 6
  ? never
  : T extends readonly (infer Item)[]
    ? KeysWithin<Item, [...Depth, 0]>
    : T extends object
      ? {
          [Key in keyof T]-?: (string extends Key ? never : Key) | KeysWithin<T[Key], [...Depth, 0]>;
        }[keyof T]
      : never;

/** A type that only values without the misspelt fields have. Their own types say what is wrong. */
type Marked<Path, Before extends string> = {
  readonly [Key in HeadOf<Path>]?: [] extends TailOf<Path, Key>
    ? CompileError<`The workflow's input has no field ${Before}${Key}: correct its name, or leave it out`>
    : Marked<TailOf<Path, Key>, `${Before}${Key}.`>;
};

type HeadOf<Path> = Path extends readonly [infer Head extends string, ...unknown[]] ? Head : never;

type TailOf<Path, Key extends string> = Path extends readonly [Key, ...infer Tail] ? Tail : never;
