/** A schema of any copy of Zod 4 (classic, mini or core), with the parts that the build reads. */
export interface Zod4Node {
  _zod: {
    def: Zod4Def;
    traits: ReadonlySet<string>;
    constr: new (def: unknown) => Zod4Node;
    bag: Record<string, unknown>;
    parent?: Zod4Node;
    pattern?: RegExp;
    values?: ReadonlySet<unknown>;
    run(payload: { value: unknown; issues: unknown[] }, ctx: { async: false; jitless: true }): { issues: unknown[] };
  };
}

export interface Zod4Def {
  type: string;
  checks?: readonly unknown[];
  [detail: string]: unknown;
}

/** A schema of any copy of Zod 3, with the parts that the build reads. */
export interface Zod3Node {
  _def: Zod3Def;
  safeParse(value: unknown): { success: boolean };
}

export interface Zod3Def {
  typeName: string;
  [detail: string]: unknown;
}

export function isZod4(value: unknown): value is Zod4Node {
  return (
    isRecord(value) &&
    isRecord(value["_zod"]) &&
    isRecord(value["_zod"]["def"]) &&
    typeof value["_zod"]["def"]["type"] === "string"
  );
}

export function isZod3(value: unknown): value is Zod3Node {
  return (
    isRecord(value) && !("_zod" in value) && isRecord(value["_def"]) && typeof value["_def"]["typeName"] === "string"
  );
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

export function isFunction(value: unknown): value is (...args: unknown[]) => unknown {
  return typeof value === "function";
}

export function asArray(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return value instanceof Map ? [...value.values()] : [];
}
