import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { exportZod3 } from "./export-zod3.ts";
import { exportZod4 } from "./export-zod4.ts";
import { tidy } from "./tidy.ts";
import { isZod3, isZod4 } from "./zod-node.ts";

/**
 * The JSON Schema (2020-12) of the JSON that a schema accepts. Requires a schema without findings of lintSchema. Checks
 * that follow a change of the value (`.trim()`, `.toLowerCase()`) do not apply to the JSON as sent, so they are
 * omitted.
 */
export function exportSchema(schema: unknown): JsonSchemaObject {
  if (isZod4(schema)) return tidy(exportZod4(schema));
  if (isZod3(schema)) return tidy(exportZod3(schema));
  throw new TypeError("Not a Zod schema");
}
