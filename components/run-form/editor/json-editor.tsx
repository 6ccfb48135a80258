"use client";

import { lazy, Suspense, useState } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { Button } from "../../ui/controls/button.tsx";
import { describeFault, offsetOf, parseDraft, printDraft } from "../draft/draft-text.ts";
import { fieldClass } from "../form/form-context.ts";
import type { EditorProps } from "./code-editor.tsx";

interface Props {
  id: string;
  text: string;
  schema: JsonSchemaObject;
  onText: (text: string) => void;
}

/** Without the editor's code, for example while the service restarts, the text is edited in a plain field. */
const CodeEditor = lazy(() =>
  import("./code-editor.tsx").then(
    ({ CodeEditor }) => ({ default: CodeEditor }),
    () => ({ default: PlainEditor }),
  ),
);

/** The draft as JSON text. Shows the position of a syntax error, and a button that selects it. */
export function JsonEditor({ id, text, schema, onText }: Props) {
  const [selected, setSelected] = useState<{ at: number } | null>(null);
  const { draft, fault } = parseDraft(text);
  const editor: EditorProps = { id, text, schema, isInvalid: fault !== null, selected, onText };
  return (
    <div className="grid min-w-0 gap-2">
      <Suspense fallback={<PlainEditor {...editor} isReadOnly />}>
        <CodeEditor {...editor} />
      </Suspense>
      <div className="flex min-h-7 flex-wrap items-center gap-2 text-s">
        <p id={`${id}-fault`} role="status" className="min-w-0 flex-1 text-bad">
          {fault ? describeFault(fault) : ""}
        </p>
        {fault ? (
          <Button size="s" tone="quiet" onClick={() => setSelected({ at: offsetOf(text, fault) })}>
            Show the error
          </Button>
        ) : (
          draft && (
            <Button size="s" tone="quiet" onClick={() => onText(printDraft(draft))}>
              Indent
            </Button>
          )
        )}
      </div>
    </div>
  );
}

function PlainEditor({ id, text, isInvalid, onText, isReadOnly = false }: EditorProps & { isReadOnly?: boolean }) {
  return (
    <textarea
      id={id}
      aria-label="JSON"
      aria-invalid={isInvalid || undefined}
      aria-describedby={`${id}-fault`}
      readOnly={isReadOnly}
      spellCheck={false}
      autoComplete="off"
      value={text}
      onChange={(event) => onText(event.target.value)}
      className={`${fieldClass} h-auto max-h-[60vh] min-h-64 resize-y py-2.5 text-s leading-5 [field-sizing:content]`}
    />
  );
}
