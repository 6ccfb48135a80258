import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { exportZod3 } from "./export-zod3.ts";
import { exportZod4 } from "./export-zod4.ts";
import { tidy } from "./tidy.ts";
import { isZod3, isZod4 } from "./zod-node.ts";

/**
 * The JSON Schema (2020-12) of what a schema takes from the wire. Expects a schema that lintSchema finds nothing in.
 * Where a check reads a value that was changed before (`.trim()`, `.toLowerCase()`), the check does not speak of the
 * wire, and is left out.
 */
export function exportSchema(schema: unknown): JsonSchemaObject {
  if (isZod4(schema)) return tidy(exportZod4(schema));
  if (isZod3(schema)) return tidy(exportZod3(schema));
  throw new TypeError("Not a Zod schema");
}
