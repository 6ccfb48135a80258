"use client";

import type { FieldProps } from "@rjsf/utils";
import { Button } from "../../ui/button.tsx";
import type { Draft } from "../draft/draft.ts";
import { parseDraft } from "../draft/parse-draft.ts";
import { startDraft } from "../empty-draft.ts";
import { useFormShared, usePlace } from "./form-context.ts";
import { JsonEntry } from "./json-entry.tsx";
import { useChange } from "./use-change.ts";

/** A value of another type than the schema expects: shown as JSON, to fix or to reset. */
export function MisfitEntry({ expected, ...props }: FieldProps<Draft> & { expected: string }) {
  const { root } = useFormShared();
  const { node } = usePlace();
  const change = useChange(props);
  const settle = () =>
    change((draft) => {
      const { draft: parsed } = draft?.is === "raw" ? parseDraft(draft.text) : { draft: null };
      return parsed ? { ...(draft?.choice && { choice: draft.choice }), ...parsed } : draft;
    });
  return (
    <div className="grid gap-1.5" onBlur={settle}>
      <JsonEntry {...props} />
      <div className="flex items-center gap-2 text-s text-ink-3">
        Expected {expected}.
        <Button
          size="s"
          tone="quiet"
          onClick={() =>
            change((draft) => ({ ...(draft?.choice && { choice: draft.choice }), ...startDraft(node.schema, root) }))
          }
        >
          Reset field
        </Button>
      </div>
    </div>
  );
}
