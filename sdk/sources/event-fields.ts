/** A value of an event: its type, its fields or its items, and a sample. */
export interface EventField {
  /** Names of scalar types; `object` has unknown fields, `unknown` is every value. */
  readonly scalars: readonly ("string" | "integer" | "number" | "boolean" | "object" | "unknown")[];
  readonly isNullable: boolean;
  readonly isOptional: boolean;
  /** The items of an array; `null`: it is no array. */
  readonly items: EventField | null;
  /** A field of an object with named fields; `null`: there is none. */
  field(name: string): EventField | null;
  /** Names of the fields. Empty: it is no object with named fields. */
  readonly names: readonly string[];
  readonly sample: unknown;
}

/**
 * Fields as source code has them: a type (`"string | null"`, `"string[]"`), fields, or fields in a list (an array of
 * objects). `{ or: null, of: fields }` is an object or null. A name that ends in `?` is optional.
 */
export interface WrittenFields {
  readonly [name: string]: string | WrittenFields | readonly [WrittenFields] | NullableFields;
}

interface NullableFields {
  readonly or: null;
  readonly of: WrittenFields;
}

/** The type of a payload with these fields. */
export type PayloadOf<Fields> = {
  -readonly [Name in keyof Fields as Name extends `${string}?` ? never : Name]: ValueOf<Fields[Name]>;
} & {
  -readonly [Name in keyof Fields as Name extends `${infer Optional}?` ? Optional : never]?: ValueOf<Fields[Name]>;
} extends infer Payload
  ? { [Name in keyof Payload]: Payload[Name] }
  : never;

type ValueOf<Field> = Field extends string
  ? NamedType<Field>
  : Field extends readonly [infer Item]
    ? PayloadOf<Item>[]
    : Field extends { readonly or: null; readonly of: infer Fields }
      ? PayloadOf<Fields> | null
      : PayloadOf<Field>;

type NamedType<Text extends string> = Text extends `${infer One} | ${infer Rest}`
  ? NamedType<One> | NamedType<Rest>
  : Text extends `${infer Item}[]`
    ? NamedType<Item>[]
    : Text extends keyof ScalarTypes
      ? ScalarTypes[Text]
      : never;

interface ScalarTypes {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  null: null;
  object: { [key: string]: unknown };
}

/** Reads fields that are written by hand, with the values of an example. */
export function readFields(fields: WrittenFields, example: unknown): EventField {
  return readField(fields, { isOptional: false, sample: example });
}

function readField(
  field: WrittenFields[string] | WrittenFields,
  { isOptional, sample }: { isOptional: boolean; sample: unknown },
): EventField {
  if (typeof field === "string") return readType(field, { isOptional, sample });
  if (isList(field)) {
    const [item] = field;
    const first: unknown = Array.isArray(sample) ? sample[0] : undefined;
    return {
      ...leaf,
      isOptional,
      sample,
      items: readField(item, { isOptional: false, sample: first }),
    };
  }
  if (isNullable(field)) return { ...readField(field.of, { isOptional, sample }), isNullable: true };
  const optional = new Set(Object.keys(field).filter((name) => name.endsWith("?")));
  return {
    ...leaf,
    isOptional,
    sample,
    names: Object.keys(field).map((name) => name.replace(/\?$/, "")),
    field(name) {
      const key = optional.has(`${name}?`) ? `${name}?` : name;
      const found = Object.hasOwn(field, key) ? field[key] : undefined;
      if (found === undefined) return null;
      return readField(found, { isOptional: key !== name, sample: valueIn(sample, name) });
    },
  };
}

/** No type, no fields and no items: what a value does not have. */
export const leaf: EventField = {
  scalars: [],
  isNullable: false,
  isOptional: false,
  items: null,
  field: () => null,
  names: [],
  sample: undefined,
};

const scalarNames = ["string", "integer", "number", "boolean", "object"] as const;

function readType(text: string, context: { isOptional: boolean; sample: unknown }): EventField {
  const types = text.split(" | ");
  const array = types.find((type) => type.endsWith("[]"));
  return {
    ...leaf,
    ...context,
    isNullable: types.includes("null"),
    scalars: scalarNames.filter((name) => types.includes(name)),
    items: array === undefined ? null : readType(array.slice(0, -2), { isOptional: false, sample: undefined }),
  };
}

function isList(field: WrittenFields[string]): field is readonly [WrittenFields] {
  return Array.isArray(field);
}

function isNullable(field: WrittenFields | NullableFields | readonly [WrittenFields]): field is NullableFields {
  return "or" in field && field.or === null;
}

/** An own field of an object. */
function valueIn(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}
