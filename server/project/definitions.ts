import {
  type AgentDefinition,
  definitionKind,
  type SourceDefinition,
  type TriggerDefinition,
  type WorkflowDefinition,
} from "../../sdk/definition.ts";
import type { ManifestTrigger } from "../contract/project/manifest.ts";
import { type FieldPart, fieldParts } from "../contract/request-parts.ts";
import type { AnySchema, FieldsSchema } from "../ports/project.ts";
import { namedLists } from "../shared/schema/named-fields.ts";

/** What kind of definition a value is, by the mark that the SDK put on it; `null`: none. */
export function kindOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null || !(definitionKind in value)) return null;
  const kind = value[definitionKind];
  return typeof kind === "string" ? kind : null;
}

export function isTrigger(value: unknown): value is TriggerDefinition {
  return kindOf(value) === "trigger";
}

export function isWorkflow(value: unknown): value is WorkflowDefinition {
  return kindOf(value) === "workflow";
}

export function isAgent(value: unknown): value is AgentDefinition {
  return kindOf(value) === "agent";
}

export function isSchema(value: unknown): value is AnySchema {
  return typeof value === "object" && value !== null && "safeParse" in value && typeof value.safeParse === "function";
}

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
