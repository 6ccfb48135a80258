"use client";

import type { FieldProps } from "@rjsf/utils";
import { Button } from "../../ui/controls/button.tsx";
import { parseDraft, printDraft } from "../draft/draft-text.ts";
import { type Draft, withChoiceOf } from "../draft/draft.ts";
import { startDraft } from "../draft/new-draft.ts";
import { fieldClass, useChange, useFieldAttributes, useFormShared, useField } from "./form-context.ts";
import { nameOfPath } from "./path-names.ts";

/** Any JSON as text. Stays as typed, even if it is not valid JSON. */
export function JsonEntry(props: FieldProps<Draft>) {
  const { path } = useField();
  const attributes = useFieldAttributes(props.fieldPathId.$id);
  const change = useChange(props);
  const draft = props.formData;
  return (
    <textarea
      {...attributes}
      aria-label={`${nameOfPath(path) || "value"} as JSON`}
      rows={1}
      spellCheck={false}
      placeholder="any JSON"
      value={draft === undefined ? "" : draft.is === "raw" ? draft.text : printDraft(draft)}
      onChange={(event) => {
        const { value } = event.target;
        change((before) => withChoiceOf(before, { is: "raw", text: value }));
      }}
      className={`${fieldClass} h-auto max-h-96 min-h-[34px] resize-y py-1.5 text-s leading-5 [field-sizing:content]`}
    />
  );
}

/** A value of another type than the schema expects: shown as JSON, to fix or to reset. */
export function MisfitEntry({ expected, ...props }: FieldProps<Draft> & { expected: string }) {
  const { root } = useFormShared();
  const { node } = useField();
  const change = useChange(props);
  const settle = () =>
    change((draft) => {
      const { draft: parsed } = draft?.is === "raw" ? parseDraft(draft.text) : { draft: null };
      return parsed ? withChoiceOf(draft, parsed) : draft;
    });
  return (
    <div className="grid gap-1.5" onBlur={settle}>
      <JsonEntry {...props} />
      <div className="flex items-center gap-2 text-s text-ink-3">
        Expected {expected}.
        <Button
          size="s"
          tone="quiet"
          onClick={() => change((draft) => withChoiceOf(draft, startDraft(node.schema, root)))}
        >
          Reset field
        </Button>
      </div>
    </div>
  );
}
