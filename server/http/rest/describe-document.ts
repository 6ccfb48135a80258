import { texts } from "./descriptions.ts";

/** The schema whose texts a schema has, unless it has its own. */
const sameAs: Readonly<Record<string, string>> = {
  Run: "RunSummary",
  Delivery: "DeliverySummary",
  CreatedKey: "Key",
  SwitchedTrigger: "Trigger",
};

interface Described {
  description?: string;
  [key: string]: unknown;
}

/** Adds the texts to a document. Returns the keys of those that it did not need. */
export function describeDocument(document: object): string[] {
  const used = new Set<string>();

  function find(keys: readonly string[]): string | undefined {
    const key = keys.find((one) => one in texts);
    if (key !== undefined) used.add(key);
    return key === undefined ? undefined : texts[key];
  }

  for (const { path, value } of undescribed(document)) {
    const text = find(keysOf(path));
    if (text !== undefined) value.description = text;
  }
  return Object.keys(texts).filter((key) => !used.has(key));
}

function keysOf(path: string): string[] {
  const [schema = "", ...names] = path.split(".");
  const name = names.at(-1) ?? "";
  if (schema.startsWith("?")) return [`${schema}.${name}`, `?${name}`];
  const other = sameAs[schema];
  return [path, ...(other === undefined ? [] : [[other, ...names].join(".")]), `*.${name}`];
}

/**
 * Properties and parameters without a description. `path`: names of properties below a schema (`Run.error.name`), or
 * `?runs.id` for a parameter of `/runs/{id}`. A reference has the description of its schema.
 */
export function undescribed(document: object): { path: string; value: Described }[] {
  const { components, paths } = document as {
    components: { schemas: Record<string, unknown> };
    paths: Record<string, Record<string, { parameters?: (Described & { name: string })[] }>>;
  };
  const schemas = Object.entries(components.schemas).flatMap(([name, schema]) => propertiesIn(schema, name));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).flatMap(({ parameters = [], ...operation }) => [
      ...parameters.flatMap((value) => {
        const segment = /([^/]+)\/\{\w+\}/.exec(path)?.[1] ?? "";
        return value.description === undefined ? [{ path: `?${segment}.${value.name}`, value }] : [];
      }),
      ...propertiesIn(operation, ""),
    ]),
  );
  return [...schemas, ...operations];
}

/** Not the properties of examples, which are values. */
const notSchemas: ReadonlySet<string> = new Set(["example", "examples", "default", "enum"]);

function propertiesIn(value: unknown, path: string): { path: string; value: Described }[] {
  if (Array.isArray(value)) return value.flatMap((item) => propertiesIn(item, path));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, below]: [string, unknown]) => {
    if (notSchemas.has(key)) return [];
    if (key !== "properties" || typeof below !== "object" || below === null) return propertiesIn(below, path);
    return Object.entries(below as Record<string, Described>).flatMap(([name, property]) => {
      const at = `${path}.${name}`;
      const isDescribed = property.description !== undefined || "$ref" in property;
      return [...(isDescribed ? [] : [{ path: at, value: property }]), ...propertiesIn(property, at)];
    });
  });
}
