"use client";

import { type FocusEvent, type KeyboardEvent, useId, useMemo, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { adaptSchema, toRjsf } from "../adapt-schema.ts";
import type { Trouble } from "../check/trouble.ts";
import type { Draft } from "../draft/draft.ts";
import { createFormValidator } from "./form-validator.ts";
import { FormContext, type FormShared, type Place, PlaceContext } from "./form-context.ts";
import { ThemedForm } from "./theme.ts";

export interface DraftFormProps {
  schema: JsonSchemaObject;
  draft: Draft;
  /** What shall be seen of what is wrong. */
  troubles: readonly Trouble[];
  hintAt: FormShared["hintAt"];
  /** Names the form, so that a button outside of it submits it. */
  formId: string;
  onDraft: (draft: Draft) => void;
  /** A place was left. */
  onLeave: (pointer: string) => void;
  onValid: () => void;
  onInvalid: () => void;
}

/** The form of a schema over a draft. */
export function DraftForm({
  schema,
  draft,
  troubles,
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
    () => ({ root: schema, prefix, troubles: byPointer(troubles), hintAt }),
    [schema, prefix, troubles, hintAt],
  );
  const place = useMemo<Place>(() => ({ node, path: [], isRequired: true, isBare: false, isFixed: true }), [node]);
  const element = useRef<HTMLDivElement>(null);
  return (
    <FormContext value={shared}>
      <PlaceContext value={place}>
        <div ref={element} onBlur={(event) => tellLeaving(event, onLeave)} onKeyDown={stopEnter}>
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

function byPointer(troubles: readonly Trouble[]): ReadonlyMap<string, readonly Trouble[]> {
  return Map.groupBy(troubles, ({ pointer }) => pointer);
}

/** A place is left when the focus goes out of it, not from one of its controls to another. */
function tellLeaving({ target, relatedTarget }: FocusEvent, onLeave: (pointer: string) => void): void {
  const place = target.closest<HTMLElement>("[data-place]");
  const pointer = place?.dataset["place"];
  if (pointer !== undefined && !place?.contains(relatedTarget)) onLeave(pointer);
}

/** Enter in a field would start a run: only the button and its own keys do. */
function stopEnter(event: KeyboardEvent): void {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement && !event.metaKey && !event.ctrlKey)
    event.preventDefault();
}
