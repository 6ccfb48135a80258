"use client";

import type { Registry } from "@rjsf/utils";
import { X } from "lucide-react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { IconButton } from "../../ui/button.tsx";
import type { Draft, Member } from "../draft/draft.ts";
import { PlaceField } from "./place-field.tsx";
import { fieldClass } from "./use-field-attributes.ts";

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

/** One key and its value. Renaming keeps the value. A duplicate key shows an error and changes nothing else. */
export function MemberRow({ member, names, schema, path, registry, onRename, onChange, onRemove }: Props) {
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
        <PlaceField
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
      {isTwice && <p className="text-s text-bad">Duplicate key: only the last one counts.</p>}
    </div>
  );
}
