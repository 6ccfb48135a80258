import type { AnySchema, TriggerSource } from "../../ports/project.ts";
import { fieldParts } from "../../contract/request-parts.ts";
import { splitSchema } from "./fixed-fields.ts";

/**
 * The same triggers, where equal schemas are one schema: a body is parsed once for all triggers that share it, and Zod
 * prepares it once. Two schemas are equal if the same copy of Zod made them of the same parts in the same order;
 * functions must be identical.
 */
export function shareSchemas(triggers: readonly TriggerSource[]): TriggerSource[] {
  const share = createSharing();
  return triggers.map((trigger) => {
    const fields = fieldParts.flatMap((part) => {
      const own = trigger[part];
      return own ? [[part, { ...own, schema: share(own.schema) }] as const] : [];
    });
    const shared = {
      ...trigger,
      request: share(trigger.request),
      filter: trigger.filter && share(trigger.filter),
      event: trigger.event && share(trigger.event),
      ...Object.fromEntries(fields),
    };
    for (const schema of [shared.request, shared.filter, shared.event, ...fields.map(([, { schema }]) => schema)])
      if (schema) splitSchema(schema, share);
    return shared;
  });
}

function createSharing(): (schema: AnySchema) => AnySchema {
  const bySignature = new Map<string, AnySchema>();
  const sign = createSigning();
  return (schema) => {
    const signature = sign(schema);
    const first = bySignature.get(signature) ?? schema;
    bySignature.set(signature, first);
    return first;
  };
}

/**
 * Serializes all parts of a value. Parts that cannot be serialized are compared by identity, so that different schemas
 * are never equal.
 */
function createSigning(): (value: unknown) => string {
  const numbers = new WeakMap<object, number>();
  let last = 0;
  const identityOf = (value: object): string => {
    const number = numbers.get(value) ?? ++last;
    numbers.set(value, number);
    return `#${number}`;
  };

  const sign = (value: unknown, around: readonly object[]): string => {
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return signScalar(value);
    if (value instanceof RegExp)
      return value.global || value.sticky ? identityOf(value) : `r${JSON.stringify([value.source, value.flags])}`;
    if (typeof value === "function") return signFunction(value) ?? identityOf(value);
    if (around.includes(value)) return identityOf(value);
    const within = [...around, value];
    if (Array.isArray(value)) return `[${value.map((item) => sign(item, within)).join()}]`;
    const made = partsOf(value);
    if (made) return `${identityOf(made.by)}${sign(made.of, within)}`;
    if (!isPlain(value)) return identityOf(value);
    return `{${Object.entries(value)
      .map(([name, part]) => `${JSON.stringify(name)}:${sign(part, within)}`)
      .join()}}`;
  };
  return (value) => sign(value, []);
}

/**
 * What `.trim()` and the like are made of; they know nothing but what they are given. `null`: it may know more than it
 * says.
 */
function signFunction(value: object): string | null {
  const text = Function.prototype.toString.call(value);
  return /^\(?([a-z]+)\)? ?=> ?\1\.(?:trim|toLowerCase|toUpperCase)\(\)$/.test(text) ? text : null;
}

function signScalar(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  return `${typeof value} ${Object.is(value, -0) ? "-0" : String(value)}`;
}

/** What made a schema or a check of Zod, and of what; `null`: it is neither. */
function partsOf(value: object): { by: object; of: unknown } | null {
  if (
    "_zod" in value &&
    isObject(value._zod) &&
    "def" in value._zod &&
    "constr" in value._zod &&
    typeof value._zod.constr === "function"
  ) {
    return { by: value._zod.constr, of: value._zod.def };
  }
  if (!("_def" in value) || !isObject(value._def) || "_zod" in value) return null;
  // Zod 3 keeps the fields of an object behind a function, which each object has for itself.
  return { by: value.constructor, of: "shape" in value ? { ...value._def, shape: value.shape } : value._def };
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Symbols and hidden parts would go unread. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return (prototype === Object.prototype || prototype === null) && Object.getOwnPropertySymbols(value).length === 0;
}
