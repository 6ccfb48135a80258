"use client";

import { useState } from "react";
import type { Json, JsonSchemaObject } from "../../server/contract/json.ts";
import { JsonView } from "../json/json-view.tsx";
import { Segmented } from "../ui/controls/choice.tsx";
import { SchemaTree } from "./schema-tree.tsx";

type View = "tree" | "json" | "example";

const labels: Record<View, string> = { tree: "Tree", json: "JSON Schema", example: "Example" };

/** A schema in three views: tree, JSON Schema as exported by the build, and a generated example. */
export function SchemaView({ title, schema, example }: { title: string; schema: JsonSchemaObject; example?: Json }) {
  const [view, setView] = useState<View>("tree");
  const views: View[] = example === undefined ? ["tree", "json"] : ["tree", "json", "example"];
  return (
    <section aria-label={title} className="min-w-0">
      <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-s font-semibold">{title}</h3>
        <Segmented
          label={`Show ${title} as`}
          value={view}
          options={views.map((value) => ({ value, label: labels[value] }))}
          onChange={setView}
        />
      </div>
      {view === "tree" && (
        <div className="rounded-m border px-3 py-2">
          <SchemaTree schema={schema} label={`${title}, as a tree`} />
        </div>
      )}
      {view !== "tree" && (
        <div className="overflow-hidden rounded-m border">
          <JsonView
            key={view}
            text={JSON.stringify(view === "json" ? schema : example)}
            label={view === "json" ? `${title}, as JSON Schema` : `Example of ${title}`}
            copyLabel={view === "json" ? `Copy ${title} as JSON Schema` : `Copy the example of ${title}`}
          />
        </div>
      )}
    </section>
  );
}
