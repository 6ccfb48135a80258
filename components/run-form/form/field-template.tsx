"use client";

import type { FieldTemplateProps } from "@rjsf/utils";
import { ChevronDown, ChevronRight, Plus, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { toPointer } from "../../../server/shared/json/json-pointer.ts";
import { describeProperty, describeSchema } from "../../../server/shared/schema/describe-schema.ts";
import { visibleText } from "../../../server/shared/schema/visible-text.ts";
import { PlainText } from "../../json/plain-text.tsx";
import { Button, IconButton } from "../../ui/controls/button.tsx";
import type { Issue } from "../check/check-value.ts";
import type { FormNode } from "../schema/adapt-schema.ts";
import type { Draft } from "../draft/draft.ts";
import { startDraft, switchNull } from "../draft/new-draft.ts";
import { type Field, useFormShared, useField } from "./form-context.ts";
import { nameOfPath } from "./path-names.ts";
import { Switch } from "./field-controls.tsx";

/** From this depth on, fields with parts are collapsed. */
const closedFrom = 4;

/** A field with its label, its description, the controls to remove it or set it to null, and its validation issues. */
export function FieldTemplate({ id, formData, onChange, children }: FieldTemplateProps<Draft>) {
  const field = useField();
  const { issues } = useFormShared();
  const { node, path, isBare } = field;
  const draft: Draft | undefined = formData;
  if (isBare) return children;
  const pointer = toPointer(path);
  const isOpenObject =
    node.kind === "object" && node.properties.length > 0 && !node.isNullable && draft?.is === "object";
  const content = (
    <FieldContent field={field} draft={draft}>
      {children}
    </FieldContent>
  );
  return (
    <div data-pointer={pointer} className="grid min-w-0 gap-1">
      {isOpenObject && (path.length === 0 || (field.isRequired && path.length < closedFrom)) ? (
        <>
          {path.length > 0 && <Description text={node.description} />}
          {children}
        </>
      ) : (
        <Labelled id={id} field={field} draft={draft} onChange={(changed) => onChange(changed, [...path])}>
          {content}
        </Labelled>
      )}
      <IssueList id={id} issues={issues.get(pointer) ?? []} />
    </div>
  );
}

interface LabelledProps {
  id: string;
  field: Field;
  draft: Draft | undefined;
  onChange: (draft: Draft | undefined) => void;
  children: ReactNode;
}

function Labelled({ id, field, draft, onChange, children }: LabelledProps) {
  const { root } = useFormShared();
  const { node, path, isRequired, isFixed } = field;
  const hasParts =
    ["object", "list", "tuple", "union"].includes(node.kind) && draft !== undefined && draft.is !== "null";
  const [isOpen, setIsOpen] = useState(path.length < closedFrom);
  const name = nameOfPath(path) || (node.title === null ? "value" : visibleText(node.title));
  const add = () => {
    setIsOpen(true);
    onChange(startDraft(node.schema, root));
  };
  return (
    <>
      <div className="flex min-h-6 min-w-0 items-center gap-1.5 [&_button]:h-6">
        {hasParts && path.length >= closedFrom && (
          <IconButton
            label={`${isOpen ? "Collapse" : "Expand"} ${name}`}
            aria-expanded={isOpen}
            icon={isOpen ? ChevronDown : ChevronRight}
            size="s"
            onClick={() => setIsOpen(!isOpen)}
          />
        )}
        <Label id={id} field={field} name={name} />
        <span className="ml-auto flex shrink-0 items-center gap-1">
          {node.isNullable && draft !== undefined && (
            <NullSwitch name={name} schema={node.schema} draft={draft} onChange={onChange} />
          )}
          {draft === undefined && needsAdding(node) && (
            <Button size="s" tone="quiet" icon={Plus} aria-label={`Add ${name}`} onClick={add}>
              Add
            </Button>
          )}
          {draft !== undefined && !isRequired && !isFixed && (
            <IconButton label={`Remove ${name}`} icon={X} size="s" onClick={() => onChange(undefined)} />
          )}
        </span>
      </div>
      <Description text={node.description} />
      {(!hasParts || isOpen) && children}
    </>
  );
}

/** The label of a field, with the description of its schema and the hint of the filter. */
function Label({ id, field: { node, path, isRequired }, name }: { id: string; field: Field; name: string }) {
  const { root, hintAt } = useFormShared();
  const description =
    path.length === 0 ? describeSchema(node.schema, root) : describeProperty({ schema: node.schema, root, isRequired });
  const hint = hintAt(path);
  return (
    <label id={`${id}-label`} htmlFor={id} className="min-w-0 text-s break-words text-ink-3">
      <span className="font-medium text-ink-2">{name}</span> {description}
      {hint !== null && <> · to fire: {hint}</>}
    </label>
  );
}

function FieldContent({
  field: { node, isRequired },
  draft,
  children,
}: {
  field: Field;
  draft: Draft | undefined;
  children: ReactNode;
}) {
  if (draft?.is === "null" && node.isNullable) return <p className={placeholderClass}>null</p>;
  if (draft === undefined && needsAdding(node))
    return <p className={placeholderClass}>{isRequired ? "absent, but required" : "absent"}</p>;
  return children;
}

/** The description from the schema, as plain text. */
function Description({ text }: { text: string | null }) {
  return (
    text !== null && (
      <p className="text-s break-words text-ink-3">
        <PlainText text={text} />
      </p>
    )
  );
}

const placeholderClass = "flex h-[34px] items-center rounded-m border border-dashed border-line-strong px-3 text-ink-3";

/** Strings, numbers and choices are added by entering a value; all others by a button. */
function needsAdding(node: FormNode): boolean {
  return !["text", "number", "choice"].includes(node.kind);
}

/** The validation issues of one field, with the JSON pointer that the server would report. */
export function IssueList({ id, issues }: { id: string; issues: readonly Issue[] }) {
  if (issues.length === 0) return null;
  return (
    <ul id={`${id}-error`} className="grid gap-0.5 text-s text-bad">
      {issues.map(({ pointer, message }) => (
        <li key={`${pointer} ${message}`} className="break-words">
          <PlainText text={message} />. <code className="break-all">{pointer === "" ? "(root)" : pointer}</code>
        </li>
      ))}
    </ul>
  );
}

/** Switches a field between null and its previous value. */
function NullSwitch({
  name,
  schema,
  draft,
  onChange,
}: {
  name: string;
  schema: JsonSchemaObject;
  draft: Draft;
  onChange: (draft: Draft) => void;
}) {
  const { root } = useFormShared();
  return (
    <Switch
      label={`${name} is null`}
      isOn={draft.is === "null"}
      onChange={(isNull) => onChange(switchNull({ schema, draft, isNull, root }))}
    >
      null
    </Switch>
  );
}
