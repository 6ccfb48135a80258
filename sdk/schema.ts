import type { SchemaLike } from "./definition.ts";

declare const explanation: unique symbol;

/**
 * A type that no value has. The SDK uses it in place of the expected type, so that the compiler's message ends with an
 * explanation: `Type '…' is not assignable to type 'CompileError<"…: add transform">'`.
 */
export interface CompileError<Explanation extends string> {
  readonly [explanation]: Explanation;
}

/**
 * A Zod schema: Zod 4 (`zod`, `zod/mini`) or Zod 3 (`zod/v3`, or version 3 of the package). The SDK recognises it by
 * its shape, not by its class. Your project can use any release of Zod, or two at once.
 */
export type Schema = SchemaLike & (ZodFourTypes | ZodThreeTypes);

interface ZodFourTypes {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

interface ZodThreeTypes {
  readonly _input: unknown;
  readonly _output: unknown;
}

/** The type that a schema parses: `z.input<S>`. */
export type SchemaInput<S> = S extends { readonly _zod: { readonly input: infer I } }
  ? I
  : S extends { readonly _input: infer I }
    ? I
    : never;

/** The type that a schema returns: `z.output<S>`. */
export type SchemaOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : S extends { readonly _output: infer O }
    ? O
    : never;

/** `T` with every property and every list readonly, at every depth. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends readonly (infer E)[]
    ? number extends T["length"]
      ? ReadonlyList<E>
      : ReadonlyFields<T>
    : ReadonlyFields<T>;

type ReadonlyFields<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> };

/**
 * An interface, because the compiler resolves interfaces lazily: a type that contains lists of itself, as JSON does,
 * would otherwise recurse without end.
 */
interface ReadonlyList<E> extends ReadonlyArray<DeepReadonly<E>> {}
