import type { Schema } from "./schema.ts";

/** The key in the definition of a schema by which `sensitive` marks it. The build reads it. */
export const sensitiveMark = "signalboxSensitive";

/**
 * Marks the values of a schema as sensitive: the app, the API, exports, alerts and traces show fakes of the same format
 * in their place. Your code gets the values themselves, and an operator can reveal them, which the audit log records.
 *
 * Returns a copy of the schema, for `request` and `headers` of a source, and for `input` and `output` of a workflow. In
 * Zod 4, `.meta({ sensitive: true })` does the same. Zod 3 has no `.meta()`. A mark on an object or an array applies to
 * everything in it. Throws a TypeError if it is not a Zod schema.
 *
 * @example
 *   import { defineWebhookSource, sensitive } from "signalbox/trigger";
 *   import { z } from "zod";
 *
 *   const source = defineWebhookSource({
 *     slug: "new-patient",
 *     endpoint: "patients",
 *     request: z.object({ id: z.string(), birthDate: sensitive(z.iso.date()) }),
 *   });
 */
export function sensitive<Marked extends Schema>(schema: Marked): Marked {
  const zod4: unknown = Reflect.get(Object(schema), "_zod");
  if (isRecord(zod4) && isClass(zod4["constr"])) {
    const copy: unknown = new zod4["constr"](markedCopy(zod4["def"]));
    const internals: unknown = isRecord(copy) ? copy["_zod"] : null;
    // Descriptions and titles are registered for the original.
    if (isRecord(internals)) internals["parent"] = schema;
    return copy as Marked;
  }
  const zod3: unknown = Reflect.get(Object(schema), "_def");
  const create: unknown = Reflect.get(Object(schema), "constructor");
  if (isRecord(zod3) && isClass(create)) return new create(markedCopy(zod3)) as Marked;
  throw new TypeError("sensitive() takes a Zod schema, e.g. sensitive(z.string()).");
}

/** Recursive schemas have getters, which must not be called yet. */
function markedCopy(definition: unknown): unknown {
  const copy: object = Object.defineProperties({}, Object.getOwnPropertyDescriptors(Object(definition)));
  return Object.assign(copy, { [sensitiveMark]: true });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isClass(value: unknown): value is new (definition: unknown) => unknown {
  return typeof value === "function";
}
