import type { SourceDefinition } from "../../sdk/definition.ts";
import type { ManifestTrigger } from "../contract/project/manifest.ts";
import { type FieldPart, fieldParts } from "../contract/request-parts.ts";
import { namedLists } from "../shared/schema/named-fields.ts";
import type { FieldsSchema } from "../ports/project.ts";
import { isSchema } from "./definitions.ts";

export type ExportedFields = Pick<ManifestTrigger, FieldPart>;

/** The schemas of a source for the headers and the query. */
export function readFieldsSchemas(
  exported: ExportedFields | undefined,
  source: Pick<SourceDefinition, FieldPart>,
): Partial<Record<FieldPart, FieldsSchema>> {
  return Object.fromEntries(
    fieldParts.flatMap((part) => {
      const [schema, json] = [source[part], exported?.[part]];
      return json && isSchema(schema) ? [[part, { schema, lists: namedLists(json) }]] : [];
    }),
  );
}
