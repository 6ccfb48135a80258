"use client";

import {
  acceptCompletion,
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  type Completion,
  type CompletionContext,
  completionKeymap,
  type CompletionResult,
  startCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from "@codemirror/language";
import { type Diagnostic, linter, lintKeymap } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useEffectEvent, useRef } from "react";
import type { JsonSchemaObject } from "../../../server/contract/json.ts";
import { checkDraft } from "../check/check-draft.ts";
import { describeFault, offsetOf, parseDraft } from "../draft/draft-text.ts";
import { completeFields, completeValues } from "../schema/complete-schema.ts";
import { maxFormCharacters } from "../use-draft.ts";
import { insertionAt, rangeOfPointer } from "./json-tree.ts";

export interface EditorProps {
  id: string;
  text: string;
  schema: JsonSchemaObject;
  isInvalid: boolean;
  /** The offset to select: a new object for each request. */
  selected: { at: number } | null;
  onText: (text: string) => void;
}

const lintDelayMs = 300;

/**
 * A JSON editor with line numbers, colours, folding, marks at validation issues, and completion from the schema. Loaded
 * when a JSON view is opened first.
 */
export function CodeEditor({ id, text, schema, isInvalid, selected, onText }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | null>(null);
  const report = useEffectEvent((changed: string) => {
    if (changed !== text) onText(changed);
  });
  const create = useEffectEvent((parent: HTMLElement) => {
    const onChange = EditorView.updateListener.of((update) => {
      if (update.docChanged) report(update.state.doc.toString());
    });
    return new EditorView({ parent, doc: text, extensions: [extensionsFor(schema, id), onChange] });
  });
  useEffect(() => {
    if (!host.current) return;
    const view = create(host.current);
    editor.current = view;
    return () => view.destroy();
  }, []);
  useEffect(() => {
    const view = editor.current;
    if (view && view.state.doc.toString() !== text)
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  }, [text]);
  useEffect(() => {
    editor.current?.contentDOM.setAttribute("aria-invalid", String(isInvalid));
  }, [isInvalid]);
  useEffect(() => {
    const view = editor.current;
    if (!view || !selected) return;
    const anchor = Math.min(selected.at, view.state.doc.length);
    view.dispatch({ selection: { anchor, head: Math.min(anchor + 1, view.state.doc.length) }, scrollIntoView: true });
    view.focus();
  }, [selected]);
  return <div ref={host} className="min-w-0" />;
}

function extensionsFor(schema: JsonSchemaObject, id: string): Extension {
  return [
    // The policy of the page allows the editor's style element by the nonce of its scripts.
    EditorView.cspNonce.of(document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? ""),
    EditorState.tabSize.of(2),
    lineNumbers(),
    foldGutter(),
    history(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion({ icons: false, override: [(context) => complete(schema, context)] }),
    json(),
    syntaxHighlighting(highlighting),
    linter((view) => findIssues(schema, view.state), { delay: lintDelayMs }),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ id, "aria-label": "JSON", "aria-describedby": `${id}-fault` }),
    // Tab leaves the editor, and Ctrl+Enter sends the form.
    keymap.of([
      { key: "Tab", run: acceptCompletion },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...foldKeymap,
      ...historyKeymap,
      ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
    ]),
    theme,
  ];
}

/** A syntax error, or the validation issues of the schema. */
function findIssues(schema: JsonSchemaObject, state: EditorState): Diagnostic[] {
  const text = state.doc.toString();
  if (text.trim() === "" || text.length > maxFormCharacters) return [];
  const { draft, fault } = parseDraft(text);
  if (fault) {
    const from = Math.min(offsetOf(text, fault), state.doc.length);
    return [{ from, to: Math.min(from + 1, state.doc.length), severity: "error", message: describeFault(fault) }];
  }
  return checkDraft(schema, schema, draft).map(({ pointer, message }) => ({
    ...rangeOfPointer(state, pointer),
    severity: "error",
    message: `${pointer === "" ? "" : `${pointer}: `}${message}`,
  }));
}

function complete(schema: JsonSchemaObject, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const insertion = insertionAt(state, pos);
  if (!insertion) return null;
  const { from, to, path } = insertion;
  if (insertion.kind === "key") {
    if (from === to && !explicit) return null;
    const options = completeFields(schema, path)
      .filter(({ name }) => !insertion.taken.includes(name))
      .map(({ name, detail, isRequired, start }): Completion => {
        const key = JSON.stringify(name);
        return {
          label: key,
          detail: isRequired ? detail : `${detail}, optional`,
          boost: isRequired ? 1 : 0,
          apply: insertion.hasColon
            ? key
            : (view, _completion, begin, end) => insertField(view, { key, start, begin, end }),
        };
      });
    return { from, to, options };
  }
  const options = completeValues(schema, path).map((label): Completion => ({ label }));
  return options.length === 0 || (from === to && !explicit) ? null : { from, to, options };
}

/** Inserts the field with its first value, and puts the cursor into the value. */
function insertField(
  view: EditorView,
  { key, start, begin, end }: { key: string; start: string; begin: number; end: number },
): void {
  const insert = `${key}: ${start}`;
  const inside = start === '""' || start === "{}" || start === "[]" ? 1 : 0;
  view.dispatch({
    changes: { from: begin, to: end, insert },
    selection: { anchor: begin + insert.length - inside },
    userEvent: "input.complete",
  });
  startCompletion(view);
}

const highlighting = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--ink-2)" },
  { tag: tags.string, color: "var(--ink)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--run)" },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: "var(--ink-3)" },
]);

const theme = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-m)",
    fontSize: "var(--text-s)",
    overflow: "hidden",
  },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: "var(--font-code)", lineHeight: "20px", maxHeight: "60vh" },
  ".cm-content, .cm-gutter": { minHeight: "256px" },
  ".cm-content": { caretColor: "var(--ink)", padding: "8px 0", outline: "none" },
  ".cm-gutters": { color: "var(--ink-3)", backgroundColor: "var(--sunken)", borderRight: "1px solid var(--line)" },
  ".cm-gutterElement span": { cursor: "pointer" },
  ".cm-foldPlaceholder": {
    color: "var(--ink-2)",
    backgroundColor: "var(--sunken)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-s)",
    padding: "0 6px",
  },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { backgroundColor: "var(--accent-soft)" },
  // A syntax error is marked by the linter.
  "&.cm-focused .cm-nonmatchingBracket, .cm-nonmatchingBracket": { backgroundColor: "transparent" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    backgroundColor: "var(--bad-soft)",
    boxShadow: "inset 0 -2px 0 var(--bad)",
  },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius-m)",
    boxShadow: "var(--shadow-far)",
    overflow: "hidden",
  },
  ".cm-tooltip-lint": { maxWidth: "min(420px, 90vw)" },
  ".cm-diagnostic": { borderLeft: "3px solid var(--bad)", fontFamily: "var(--font-ui)", padding: "6px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-code)", maxHeight: "240px" },
  ".cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    color: "var(--ink)",
    backgroundColor: "var(--accent-soft)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "650" },
  ".cm-completionDetail": { color: "var(--ink-3)", fontFamily: "var(--font-ui)", fontStyle: "normal" },
});
