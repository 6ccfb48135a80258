import type { SchemaLike } from "./definition.ts";

/**
 * A Zod schema: of Zod 4 (`zod`, `zod/mini`) or Zod 3 (`zod/v3`, or version 3 of the package). Told by its shape, not
 * by its class, so that a project may use another release of Zod than the one that this package was made with, or two
 * at once.
 */
export type Schema = SchemaLike & (ZodFourTypes | ZodThreeTypes);

interface ZodFourTypes {
  readonly _zod: { readonly input: unknown; readonly output: unknown };
}

interface ZodThreeTypes {
  readonly _input: unknown;
  readonly _output: unknown;
}

/** What a schema reads: `z.input<S>`. */
export type SchemaInput<S> = S extends { readonly _zod: { readonly input: infer I } }
  ? I
  : S extends { readonly _input: infer I }
    ? I
    : never;

/** What a schema gives: `z.output<S>`. */
export type SchemaOutput<S> = S extends { readonly _zod: { readonly output: infer O } }
  ? O
  : S extends { readonly _output: infer O }
    ? O
    : never;

/** The same value, where code promises not to change it. What is only read may be handed over in this form. */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends readonly (infer E)[]
    ? number extends T["length"]
      ? ReadonlyList<E>
      : ReadonlyFields<T>
    : ReadonlyFields<T>;

type ReadonlyFields<T> = { readonly [K in keyof T]: DeepReadonly<T[K]> };

/**
 * An interface, since the compiler looks into those no sooner than it must: a type that holds lists of itself, as JSON
 * does, has no end.
 */
interface ReadonlyList<E> extends ReadonlyArray<DeepReadonly<E>> {}
