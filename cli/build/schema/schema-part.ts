import type { Json, JsonSchemaObject } from "../../../server/contract/json.ts";

/** The keywords of a schema. Parts are in place of the schemas inside it. `$ref` with a part means: that part, and more. */
export interface Keywords {
  [keyword: string]: Json | SchemaPart | readonly (Json | SchemaPart)[] | { [name: string]: Json | SchemaPart };
}

let lastNumber = 0;
const partKey = "\u0000part";

/** A part of an exported schema. A part that contains itself, or a large one that is used again, becomes a definition. */
export class SchemaPart {
  /** The schema contains itself. */
  isRecursive = false;
  /** The name that its author gave it. */
  readonly id: string | null;
  /** `null`: not known yet. */
  keywords: Keywords | null;
  private readonly number = ++lastNumber;

  constructor(id: string | null, keywords: Keywords | null = null) {
    this.id = id;
    this.keywords = keywords;
  }

  /** Equal for equal parts. */
  text(): string {
    return JSON.stringify(this.keywords, (_, value: unknown) =>
      value instanceof SchemaPart ? { [partKey]: value.number } : value,
    );
  }

  /** The parts inside it. */
  inner(): SchemaPart[] {
    return Object.values(this.keywords ?? {}).flatMap((value) => {
      if (value instanceof SchemaPart) return [value];
      return typeof value === "object" && value !== null
        ? Object.values(value).filter((each) => each instanceof SchemaPart)
        : [];
    });
  }

  /** Whether it says that the value is a string. */
  isString(): boolean {
    const { type, $ref, anyOf, allOf, enum: values } = this.keywords ?? {};
    if (type !== undefined) return type === "string";
    if ($ref instanceof SchemaPart) return $ref.isString();
    if (Array.isArray(values)) return values.every((value) => typeof value === "string");
    const isStringPart = (part: unknown) => part instanceof SchemaPart && part.isString();
    return (Array.isArray(anyOf) && anyOf.every(isStringPart)) || (Array.isArray(allOf) && allOf.some(isStringPart));
  }
}

/** Smaller parts are copied to where they are used, which is easier to read. */
const minShared = 300;

/** The document with this root: definitions in `$defs`, and `#` for the root itself. */
export function renderSchema(root: SchemaPart): JsonSchemaObject {
  const names = nameDefinitions(root);
  const written = new Map<string, JsonSchemaObject>();

  const write = (part: SchemaPart): JsonSchemaObject => {
    const name = names.get(part);
    if (name === undefined) return writeKeywords(part);
    if (!written.has(name)) {
      // First, because a definition may contain itself.
      written.set(name, {});
      written.set(name, writeKeywords(part));
    }
    return { $ref: name === "" ? "#" : `#/$defs/${name}` };
  };
  const writeKeywords = ({ keywords }: SchemaPart): JsonSchemaObject => {
    const { $ref, ...own } = keywords ?? {};
    const referred = $ref instanceof SchemaPart ? write($ref) : {};
    return {
      ...referred,
      ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name, writeValue(value)])),
    };
  };
  const writeValue = (value: unknown): Json => {
    if (value instanceof SchemaPart) return write(value);
    if (Array.isArray(value)) return value.map(writeValue);
    if (typeof value !== "object" || value === null) return value as Json;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, writeValue(each)]));
  };

  written.set("", {});
  const document = writeKeywords(root);
  written.delete("");
  const definitions = [...names].flatMap(([, name]): [string, JsonSchemaObject][] => {
    const definition = written.get(name);
    return definition ? [[name, definition]] : [];
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...document,
    ...(definitions.length > 0 && { $defs: Object.fromEntries(definitions) }),
  };
}

/** The names of the parts that become definitions, in the order of their first use. The root has an empty name. */
function nameDefinitions(root: SchemaPart): Map<SchemaPart, string> {
  const uses = new Map<SchemaPart, number>();
  const count = (part: SchemaPart): void => {
    const before = uses.get(part) ?? 0;
    uses.set(part, before + 1);
    if (before === 0) part.inner().forEach(count);
  };
  count(root);
  const sizes = new Map<SchemaPart, number>();
  const sizeOf = (part: SchemaPart): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    sizes.set(part, 0);
    const size = part.inner().reduce((sum, inner) => sum + sizeOf(inner), part.text().length);
    sizes.set(part, size);
    return size;
  };
  const names = new Map([[root, ""]]);
  const taken = new Set<string>();
  for (const [part, times] of uses) {
    if (part === root || !(part.isRecursive || (times > 1 && sizeOf(part) >= minShared))) continue;
    const usual = part.id !== null && /^[\w.-]+$/.test(part.id) && part.id !== "__proto__" ? part.id : "schema";
    let name = usual === "schema" ? `schema${names.size}` : usual;
    for (let number = 2; taken.has(name); number++) name = `${usual}${number}`;
    taken.add(name);
    names.set(part, name);
  }
  return names;
}
