"use client";

import withTheme from "@rjsf/core/lib/withTheme.js";
import { type FocusEvent, type KeyboardEvent, useId, useMemo, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { adaptSchema, toRjsf } from "../adapt-schema.ts";
import type { Issue } from "../check/trouble.ts";
import type { Draft } from "../draft/draft.ts";
import { BooleanEntry, NullEntry } from "./boolean-entry.tsx";
import { ChoiceEntry } from "./choice-entry.tsx";
import { FormContext, type FormShared, type Place, PlaceContext } from "./form-context.ts";
import { createFormValidator } from "./form-validator.ts";
import { JsonEntry } from "./json-entry.tsx";
import { ListEntry } from "./list-entry.tsx";
import { NumberEntry } from "./number-entry.tsx";
import { ObjectEntry } from "./object-entry.tsx";
import { PlaceTemplate } from "./place-template.tsx";
import { TextEntry } from "./text-entry.tsx";
import { UnionEntry } from "./union-entry.tsx";

// Not the main export of the package: it includes another validator, which generates code from schemas.
/** React-jsonschema-form with our own fields and field template. */
const ThemedForm = withTheme<Draft>({
  fields: {
    BooleanEntry,
    ChoiceEntry,
    JsonEntry,
    ListEntry,
    NullEntry,
    NumberEntry,
    ObjectEntry,
    TextEntry,
    UnionEntry,
  },
  templates: { FieldTemplate: PlaceTemplate },
});

export interface DraftFormProps {
  schema: JsonSchemaObject;
  draft: Draft;
  /** The visible validation issues. */
  issues: readonly Issue[];
  hintAt: FormShared["hintAt"];
  /** The id of the form, for a submit button outside of it. */
  formId: string;
  onDraft: (draft: Draft) => void;
  /** A field lost the focus. */
  onLeave: (pointer: string) => void;
  onValid: () => void;
  onInvalid: () => void;
}

/** A form that edits a draft by a schema. */
export function DraftForm({
  schema,
  draft,
  issues,
  hintAt,
  formId,
  onDraft,
  onLeave,
  onValid,
  onInvalid,
}: DraftFormProps) {
  const prefix = useId();
  const node = adaptSchema(schema, schema);
  const rjsf = useMemo(() => toRjsf(node), [node]);
  const validator = useMemo(() => createFormValidator(schema), [schema]);
  const shared = useMemo<FormShared>(
    () => ({ root: schema, prefix, issues: byPointer(issues), hintAt }),
    [schema, prefix, issues, hintAt],
  );
  const place = useMemo<Place>(() => ({ node, path: [], isRequired: true, isBare: false, isFixed: true }), [node]);
  const element = useRef<HTMLDivElement>(null);
  return (
    <FormContext value={shared}>
      <PlaceContext value={place}>
        <div ref={element} onBlur={(event) => handleBlur(event, onLeave)} onKeyDown={stopEnter}>
          <ThemedForm
            id={formId}
            idPrefix={prefix}
            schema={rjsf.schema}
            uiSchema={rjsf.uiSchema}
            formData={draft}
            validator={validator}
            noHtml5Validate
            showErrorList={false}
            focusOnFirstError={false}
            experimental_defaultFormStateBehavior={{
              emptyObjectFields: "skipDefaults",
              arrayMinItems: { populate: "never" },
              allOf: "skipDefaults",
              constAsDefaults: "never",
            }}
            onChange={({ formData }) => formData && onDraft(formData)}
            onSubmit={onValid}
            onError={onInvalid}
          >
            <></>
          </ThemedForm>
        </div>
      </PlaceContext>
    </FormContext>
  );
}

function byPointer(issues: readonly Issue[]): ReadonlyMap<string, readonly Issue[]> {
  return Map.groupBy(issues, ({ pointer }) => pointer);
}

/** Reports a field when the focus leaves it, not when it moves between its controls. */
function handleBlur({ target, relatedTarget }: FocusEvent, onLeave: (pointer: string) => void): void {
  const place = target.closest<HTMLElement>("[data-place]");
  const pointer = place?.dataset["place"];
  if (pointer !== undefined && !place?.contains(relatedTarget)) onLeave(pointer);
}

/** Prevents Enter in a field from submitting: only the button and Ctrl+Enter start a run. */
function stopEnter(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement && !event.metaKey && !event.ctrlKey)
    event.preventDefault();
}
