"use client";

import type { FieldProps, Registry } from "@rjsf/utils";
import { Plus, X } from "lucide-react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { formatCount } from "../../../server/shared/format.ts";
import { Button, IconButton } from "../../ui/controls/button.tsx";
import { type Draft, type Member, memberOf, rowId, withChoiceOf, withMember } from "../draft/draft.ts";
import { startDraft } from "../draft/new-draft.ts";
import { anything } from "../schema/resolve-schema.ts";
import { fieldClass, useChange, useFormShared, useField } from "./form-context.ts";
import { MisfitEntry } from "./json-entry.tsx";
import { NestedField, useShownRows } from "./nested-field.tsx";
import { nameOfPath } from "./path-names.ts";

/** The fields of the schema, then all other fields as rows of key and value. */
export function ObjectEntry(props: FieldProps<Draft>) {
  const { node, path } = useField();
  const { root } = useFormShared();
  const change = useChange(props);
  const draft = props.formData;
  const rest =
    draft?.is === "object" && node.kind === "object"
      ? draft.members.filter((member) => isRest(node.properties, draft.members, member))
      : [];
  const { shown, more } = useShownRows(rest);
  if (node.kind !== "object" || !draft) return null;
  if (draft.is !== "object") return <MisfitEntry {...props} expected="an object" />;
  const restSchema = typeof node.rest === "string" ? anything : node.rest;
  const edit = (update: (members: readonly Member[]) => Member[]) =>
    change((before) => ({ ...before, is: "object", members: update(before?.is === "object" ? before.members : []) }));
  const rows = shown.map((member) => (
    <MemberRow
      key={member.id}
      member={member}
      names={rest.map(({ key }) => key)}
      schema={restSchema}
      path={[...path, member.key]}
      registry={props.registry}
      onRename={(key) => edit((members) => members.map((one) => (one.id === member.id ? { ...one, key } : one)))}
      onChange={(value) =>
        edit((members) => members.map((one) => (one.id === member.id && value ? { ...one, draft: value } : one)))
      }
      onRemove={() => edit((members) => members.filter(({ id }) => id !== member.id))}
    />
  ));
  return (
    <div
      className={`grid min-w-0 gap-3.5 ${path.length > 0 && node.properties.length === 0 ? "border-l-2 border-line pl-3" : ""}`}
    >
      {node.properties.map(({ name, schema, isRequired }) => (
        <NestedField
          key={name}
          schema={schema}
          path={[...path, name]}
          draft={memberOf(draft, name)?.draft}
          isRequired={isRequired}
          registry={props.registry}
          onChange={(value) =>
            change((before) => withChoiceOf(before, withMember(before ?? { is: "object", members: [] }, name, value)))
          }
        />
      ))}
      {node.rest === "ignored" && rest.length > 0 && (
        <details className="min-w-0">
          <summary className="cursor-pointer text-s text-ink-3">
            {formatCount(rest.length, "more field")} not in the schema: sent, and ignored by the server
          </summary>
          <div className="mt-2 grid gap-2">{rows}</div>
        </details>
      )}
      {node.rest !== "ignored" && rows}
      {more}
      {typeof node.rest !== "string" && (
        <div>
          <Button
            size="s"
            icon={Plus}
            aria-label={`Add a field to ${nameOfPath(path) || "the value"}`}
            onClick={() =>
              edit((members) => [
                ...members,
                { id: rowId(), key: freeName(members), draft: startDraft(restSchema, root) },
              ])
            }
          >
            Add field
          </Button>
        </div>
      )}
      {node.properties.length === 0 && rest.length === 0 && typeof node.rest === "string" && (
        <p className="text-s text-ink-3">An object without fields.</p>
      )}
    </div>
  );
}

/** Not a field of the schema, or a repeated key, of which the last one is the field. */
function isRest(properties: readonly { name: string }[], members: readonly Member[], member: Member): boolean {
  return (
    !properties.some(({ name }) => name === member.key) || members.findLast(({ key }) => key === member.key) !== member
  );
}

function freeName(members: readonly Member[]): string {
  const names = new Set(members.map(({ key }) => key));
  for (let count = 1; ; count++) {
    const name = count === 1 ? "key" : `key${count}`;
    if (!names.has(name)) return name;
  }
}

interface Props {
  member: Member;
  /** The keys of all rows, to detect duplicates. */
  names: readonly string[];
  schema: JsonSchemaObject;
  path: readonly (string | number)[];
  registry: Registry<Draft>;
  onRename: (key: string) => void;
  onChange: (draft: Draft | undefined) => void;
  onRemove: () => void;
}

/** One key and its value. Renaming keeps the value. A repeated key is marked; a note above the form says what it means. */
function MemberRow({ member, names, schema, path, registry, onRename, onChange, onRemove }: Props) {
  const isTwice = names.filter((name) => name === member.key).length > 1;
  return (
    <div className="grid min-w-0 gap-1">
      <div className="grid min-w-0 grid-cols-[minmax(0,2fr)_minmax(0,3fr)_auto] items-start gap-1.5">
        <input
          aria-label={`Key of ${member.key === "" ? "the unnamed field" : member.key}`}
          aria-invalid={isTwice || undefined}
          value={member.key}
          onChange={(event) => onRename(event.target.value)}
          placeholder="empty key"
          autoComplete="off"
          spellCheck={false}
          className={`${fieldClass} mt-7`}
        />
        <NestedField
          schema={schema}
          path={path}
          draft={member.draft}
          isRequired
          isFixed
          registry={registry}
          onChange={onChange}
        />
        <IconButton label={`Remove ${member.key}`} icon={X} onClick={onRemove} className="mt-[29px]" />
      </div>
    </div>
  );
}
