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

/** The default export of a file in `triggers/`: a trigger, or a source, which has no target. */
export interface TriggerExport extends Omit<TriggerDefinition, typeof definitionKind | "target"> {
  readonly target: TriggerDefinition["target"] | null;
}

/** `null`: the value is neither a trigger nor a source. */
export function readTriggerExport(value: unknown): TriggerExport | null {
  if (isTrigger(value)) return value;
  return isSource(value) ? { source: value, target: null, transform: undefined } : null;
}

function isTrigger(value: unknown): value is TriggerDefinition {
  return kindOf(value) === "trigger";
}

function isSource(value: unknown): value is SourceDefinition {
  return kindOf(value) === "source";
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
