"use client";

import type { FieldProps } from "@rjsf/utils";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useEffect, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { Button, IconButton } from "../../ui/controls/button.tsx";
import type { FormNode } from "../schema/adapt-schema.ts";
import { type Draft, type Item, rowId } from "../draft/draft.ts";
import { startDraft } from "../draft/new-draft.ts";
import { anything } from "../schema/resolve-schema.ts";
import { useChange, useFormShared, useField } from "./form-context.ts";
import { MisfitEntry } from "./json-entry.tsx";
import { nameOfPath } from "./path-names.ts";
import { NestedField, useShownRows } from "./nested-field.tsx";

/** The items of an array, with buttons to add, remove and move them. The fixed items of a tuple cannot be moved. */
export function ListEntry(props: FieldProps<Draft>) {
  const { node, path } = useField();
  const { root } = useFormShared();
  const change = useChange(props);
  const draft = props.formData;
  const items = draft?.is === "list" ? draft.items : [];
  const { shown, more } = useShownRows(items);
  const list = useRef<HTMLDivElement>(null);
  const focusNext = useRef<string | null>(null);
  useEffect(() => {
    if (focusNext.current === null) return;
    list.current?.querySelector<HTMLElement>(focusNext.current)?.focus();
    focusNext.current = null;
  });
  if ((node.kind !== "list" && node.kind !== "tuple") || !draft) return null;
  if (draft.is !== "list") return <MisfitEntry {...props} expected="an array" />;
  const name = nameOfPath(path) || "the array";
  const edit = (update: (items: readonly Item[]) => Item[]) =>
    change((before) => ({ ...before, is: "list", items: update(before?.is === "list" ? before.items : []) }));
  const move = (index: number, by: 1 | -1) => {
    const item = items[index];
    if (!item) return;
    // The pressed button keeps the focus until its item is at an end.
    const isLast = index + by === 0 || index + by === items.length - 1;
    focusNext.current = `[data-row="${item.id}"] [data-move="${isLast ? -by : by}"]`;
    edit((before) => before.with(index, before[index + by] ?? item).with(index + by, item));
  };
  const remove = (index: number) => {
    const next = items[index + 1] ?? items[index - 1];
    focusNext.current = next ? `[data-row="${next.id}"] [data-remove]` : "[data-add]";
    edit((before) => before.filter((_, at) => at !== index));
  };
  const fixed = node.kind === "tuple" ? node.fixedItems.length : 0;
  return (
    <div ref={list} className="grid min-w-0 gap-2.5 border-l-2 border-line pl-3">
      {shown.map((item, index) => (
        <div key={item.id} data-row={item.id} className="flex min-w-0 items-start gap-1">
          <div className="min-w-0 flex-1">
            <NestedField
              schema={schemaAt(node, index)}
              path={[...path, index]}
              draft={item.draft}
              isRequired
              isFixed
              registry={props.registry}
              onChange={(value) =>
                edit((before) => before.map((one) => (one.id === item.id && value ? { ...one, draft: value } : one)))
              }
            />
          </div>
          <span className="flex shrink-0">
            {index >= fixed && (
              <>
                <IconButton
                  label={`Move ${name}[${index}] up`}
                  icon={ArrowUp}
                  size="s"
                  data-move={-1}
                  disabled={index <= fixed}
                  onClick={() => move(index, -1)}
                />
                <IconButton
                  label={`Move ${name}[${index}] down`}
                  icon={ArrowDown}
                  size="s"
                  data-move={1}
                  disabled={index === items.length - 1}
                  onClick={() => move(index, 1)}
                />
              </>
            )}
            {(index >= fixed || index === items.length - 1) && (
              <IconButton
                label={`Remove ${name}[${index}]`}
                icon={X}
                size="s"
                data-remove=""
                onClick={() => remove(index)}
              />
            )}
          </span>
        </div>
      ))}
      {more}
      {items.length < node.maxItems && (
        <div>
          <Button
            size="s"
            icon={Plus}
            data-add=""
            aria-label={`Add an item to ${name}`}
            onClick={() =>
              edit((before) => [...before, { id: rowId(), draft: startDraft(schemaAt(node, before.length), root) }])
            }
          >
            Add item
          </Button>
        </div>
      )}
    </div>
  );
}

function schemaAt(node: FormNode, index: number): JsonSchemaObject {
  if (node.kind === "list") return node.items;
  return node.kind === "tuple" ? (node.fixedItems[index] ?? node.rest ?? anything) : anything;
}
