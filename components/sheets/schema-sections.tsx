import type { Json, JsonSchemaObject } from "../../server/contract/json.ts";
import { SchemaView } from "../schema/schema-view.tsx";

export interface NamedSchema {
  title: string;
  schema: JsonSchemaObject | null;
  /** Text shown without a schema. */
  absent: string;
  example?: Json;
}

/** The schemas of a node, one below the other. */
export function SchemaSections({ schemas }: { schemas: readonly NamedSchema[] }) {
  return schemas.map(({ title, schema, absent, example }) =>
    schema ? (
      <SchemaView key={title} title={title} schema={schema} example={example} />
    ) : (
      <section key={title} aria-label={title}>
        <h3 className="mb-1 text-s font-semibold">{title}</h3>
        <p className="text-ink-2">{absent}</p>
      </section>
    ),
  );
}
