"use client";

import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { describeProperty, describeSchema } from "../../server/shared/schema/describe-schema.ts";
import { factsOf, firstOf } from "../../server/shared/schema/facts-of.ts";
import { visibleText } from "../../server/shared/schema/visible-text.ts";
import { type SchemaChild, childrenOf } from "./schema-children.ts";

interface Around {
  root: JsonSchemaObject;
  depth: number;
  /** The enclosing schemas. A schema that occurs again is rendered only when expanded. */
  parts: ReadonlySet<JsonSchemaObject>;
}

/** Levels that are expanded initially. */
const openDepth = 3;

/** A schema as a readable tree: names, types, limits, optional properties, descriptions. Renders only expanded levels. */
export function SchemaTree({ schema, label }: { schema: JsonSchemaObject; label: string }) {
  const { children, more } = childrenOf(schema, schema);
  if (children.length === 0) return <p className="py-1 text-ink-2">{describeSchema(schema, schema)}</p>;
  return (
    <div role="group" aria-label={label}>
      {!isPlainObject(schema) && <p className="pb-1 text-ink-2">{describeSchema(schema, schema)}</p>}
      <Lines
        around={{ root: schema, depth: 0, parts: new Set(factsOf(schema, schema).parts) }}
        lines={children}
        more={more}
      />
    </div>
  );
}

function isPlainObject(schema: JsonSchemaObject): boolean {
  return describeSchema(schema, schema) === "object";
}

function Lines({ around, lines, more }: { around: Around; lines: SchemaChild[]; more: number }) {
  const hasToggles = lines.some(({ schema }) => childrenOf(schema, around.root).children.length > 0);
  return (
    <ul className={around.depth > 0 ? `ml-[7px] border-l ${hasToggles ? "pl-2" : "pl-3.5"}` : ""}>
      {lines.map((child) => (
        <Line key={child.key} child={child} around={around} hasToggles={hasToggles} />
      ))}
      {more > 0 && <li className="py-1 text-s text-ink-3">and {more} more: see the JSON Schema</li>}
    </ul>
  );
}

function Line({ child, around, hasToggles }: { child: SchemaChild; around: Around; hasToggles: boolean }) {
  const facts = factsOf(child.schema, around.root);
  const isAgain = facts.parts.some((part) => around.parts.has(part));
  const { children, more } = childrenOf(child.schema, around.root);
  const [isOpen, setIsOpen] = useState(around.depth < openDepth && !isAgain && children.length <= 30);
  const id = useId();
  if (children.length === 0)
    return (
      <li>
        <LineText child={child} root={around.root} isIndented={hasToggles} />
      </li>
    );
  return (
    <li>
      <LineText
        child={child}
        root={around.root}
        note={isAgain ? "recursive" : undefined}
        toggle={{ isOpen, id, set: setIsOpen }}
        isIndented
      />
      <div id={id}>
        {isOpen && (
          <Lines
            around={{ root: around.root, depth: around.depth + 1, parts: new Set([...around.parts, ...facts.parts]) }}
            lines={children}
            more={more}
          />
        )}
      </div>
    </li>
  );
}

interface Toggle {
  isOpen: boolean;
  id: string;
  set: (isOpen: boolean) => void;
}

function LineText({
  child,
  root,
  toggle,
  note,
  isIndented,
}: {
  child: SchemaChild;
  root: JsonSchemaObject;
  toggle?: Toggle;
  note?: string | undefined;
  isIndented: boolean;
}) {
  const { schema, isRequired } = child;
  const words = describeProperty({ schema, root, isRequired });
  const title = textOf(schema, root, "title");
  const description = textOf(schema, root, "description");
  return (
    <div className="flex min-w-0 items-start gap-1 py-[3px]">
      {toggle ? <ToggleButton toggle={toggle} name={child.name} /> : isIndented && <span className="w-4 shrink-0" />}
      <p className="min-w-0 break-words">
        <Name child={child} /> <span className="text-ink-2">{words}</span>
        {note && <span className="text-ink-3">, {note}</span>}
        {(title || description) && (
          <span className="block text-s text-ink-3">{[title, description].filter(Boolean).join(": ")}</span>
        )}
      </p>
    </div>
  );
}

function ToggleButton({ toggle, name }: { toggle: Toggle; name: string }) {
  return (
    <button
      type="button"
      aria-expanded={toggle.isOpen}
      aria-controls={toggle.id}
      aria-label={`${toggle.isOpen ? "Collapse" : "Expand"} ${name}`}
      onClick={() => toggle.set(!toggle.isOpen)}
      className="-ml-0.5 grid size-[18px] shrink-0 cursor-pointer place-items-center rounded-s text-ink-3 hover:bg-sunken hover:text-ink"
    >
      <ChevronRight aria-hidden size={14} className={`transition-transform ${toggle.isOpen ? "rotate-90" : ""}`} />
    </button>
  );
}

function Name({ child }: { child: SchemaChild }): ReactNode {
  if (!child.isCode) return <span className="text-ink-3">{child.name}</span>;
  return <code className="font-medium">{child.name === "" ? '""' : child.name}</code>;
}

function textOf(schema: JsonSchemaObject, root: JsonSchemaObject, keyword: "title" | "description"): string | null {
  const text = firstOf(factsOf(schema, root), keyword);
  return typeof text === "string" && text !== "" ? visibleText(text, 400) : null;
}
