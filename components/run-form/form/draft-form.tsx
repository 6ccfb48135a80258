"use client";

import withTheme from "@rjsf/core/lib/withTheme.js";
import type { RJSFValidationError, ValidatorType } from "@rjsf/utils";
import { type FocusEvent, type KeyboardEvent, useId, useMemo, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { checkDraft } from "../check/check-draft.ts";
import type { Issue } from "../check/check-value.ts";
import type { Draft } from "../draft/draft.ts";
import { adaptSchema, toRjsf } from "../schema/adapt-schema.ts";
import { FieldTemplate } from "./field-template.tsx";
import { FormContext, type FormShared, type Field, FieldContext } from "./form-context.ts";
import { JsonEntry } from "./json-entry.tsx";
import { ListEntry } from "./list-entry.tsx";
import { ObjectEntry } from "./object-entry.tsx";
import { BooleanEntry, ChoiceEntry, NullEntry, NumberEntry } from "./scalar-entries.tsx";
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
  templates: { FieldTemplate },
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
  onSubmit: () => void;
}

/** A form that edits a draft by a schema. */
export function DraftForm({ schema, draft, issues, hintAt, formId, onDraft, onLeave, onSubmit }: DraftFormProps) {
  const prefix = useId();
  const node = adaptSchema(schema, schema);
  const rjsf = useMemo(() => toRjsf(node), [node]);
  const validator = useMemo(() => createFormValidator(schema), [schema]);
  const shared = useMemo<FormShared>(
    () => ({ root: schema, prefix, issues: byPointer(issues), hintAt }),
    [schema, prefix, issues, hintAt],
  );
  const field = useMemo<Field>(() => ({ node, path: [], isRequired: true, isBare: false, isFixed: true }), [node]);
  const element = useRef<HTMLDivElement>(null);
  return (
    <FormContext value={shared}>
      <FieldContext value={field}>
        <div ref={element} onBlur={(event) => handleBlur(event, onLeave)} onKeyDown={preventEnterSubmit}>
          <ThemedForm
            id={formId}
            idPrefix={prefix}
            schema={rjsf.schema}
            uiSchema={rjsf.uiSchema}
            formData={draft}
            validator={validator}
            noHtml5Validate
            noValidate
            showErrorList={false}
            focusOnFirstError={false}
            experimental_defaultFormStateBehavior={{
              emptyObjectFields: "skipDefaults",
              arrayMinItems: { populate: "never" },
              allOf: "skipDefaults",
              constAsDefaults: "never",
            }}
            onChange={({ formData }) => formData && onDraft(formData)}
            onSubmit={onSubmit}
          >
            <></>
          </ThemedForm>
        </div>
      </FieldContext>
    </FormContext>
  );
}

function byPointer(issues: readonly Issue[]): ReadonlyMap<string, readonly Issue[]> {
  return Map.groupBy(issues, ({ pointer }) => pointer);
}

/** Reports a field when the focus leaves it, not when it moves between its controls. */
function handleBlur({ target, relatedTarget }: FocusEvent, onLeave: (pointer: string) => void): void {
  const field = target.closest<HTMLElement>("[data-pointer]");
  const pointer = field?.dataset["pointer"];
  if (pointer !== undefined && !field?.contains(relatedTarget)) onLeave(pointer);
}

/** Prevents Enter in a field from submitting: only the button and Ctrl+Enter start a run. */
function preventEnterSubmit(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement && !event.metaKey && !event.ctrlKey)
    event.preventDefault();
}

/**
 * The validator that react-jsonschema-form calls before it submits. It validates with the exported schema as draft
 * 2020-12, regardless of `$schema`. It is an interpreter, because the Content Security Policy forbids generated code.
 */
export function createFormValidator(schema: JsonSchemaObject): ValidatorType<Draft> {
  const errorsOf = (draft: Draft | undefined): RJSFValidationError[] =>
    draft === undefined
      ? []
      : checkDraft(schema, schema, draft).map(({ pointer, code, message }) => ({
          name: code,
          property: pointer,
          message,
          stack: `${pointer} ${message}`,
        }));
  return {
    // Issues are shown by pointer, because the error tree of react-jsonschema-form has no absent fields.
    validateFormData: (draft) => ({ errors: errorsOf(draft), errorSchema: {} }),
    isValid: (_, draft) => errorsOf(draft).length === 0,
    rawValidation: <Result,>() => ({ errors: [] as Result[] }),
  };
}
