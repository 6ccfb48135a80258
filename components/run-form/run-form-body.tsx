"use client";

import { useQuery } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useEffectEvent, useId, useMemo, useRef, useState } from "react";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import { bigintsOf, fieldParts } from "../../server/contract/request-parts.ts";
import { describeSchema } from "../../server/shared/schema/describe-schema.ts";
import { useDisabledReason } from "../auth/access.tsx";
import { jsonOf } from "../json/read-body.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { useModKey } from "../ui/browser.ts";
import { Button } from "../ui/controls/button.tsx";
import { CopyButton } from "../ui/controls/copy-button.tsx";
import { Segmented } from "../ui/controls/choice.tsx";
import { DraftNotes, IssueSummary, StartResult } from "./form-messages.tsx";
import type { Issue } from "./check/check-value.ts";
import { isFinished, printDraft } from "./draft/draft-text.ts";
import { startDraft } from "./draft/new-draft.ts";
import { DraftForm } from "./form/draft-form.tsx";
import { exampleTexts, givenFields, receivedTexts } from "./draft/field-texts.ts";
import { RequestFields } from "./form/request-fields.tsx";
import { RunKeyField } from "./form/run-key-field.tsx";
import { JsonEditor } from "./editor/json-editor.tsx";
import { hasPrompt, PromptForm } from "./prompt/prompt-form.tsx";
import { asSchema, flatten, own } from "./schema/resolve-schema.ts";
import { isPrompt, type RunSubject, triggerOf } from "./run-subject.ts";
import { focusFirstField, focusField } from "./focus-field.ts";
import { StartFrom } from "./presets/start-from.tsx";
import { useDraft } from "./use-draft.ts";
import { useStart } from "./use-start.ts";
import { type FirstText, type SubjectDetails, useCurl } from "./use-subject.ts";
import { useIssues } from "./use-issues.ts";
import { VerdictPreview } from "./verdict-preview.tsx";

interface Props {
  subject: RunSubject;
  details: SubjectDetails;
  first: FirstText;
  storageKey: string;
  /** The delivery or run that `first` comes from. */
  origin: string | null;
}

type View = "form" | "json";

const noSchemas = { headers: null, query: null };

/** One draft as form and as JSON, a preview of its verdicts, and the button that starts it. */
export function RunFormBody({ subject, details, first, storageKey, origin }: Props) {
  const { schema, filter, example } = details;
  // Only a delivery has headers and a query: a run through a trigger, or a replay, has a payload.
  const schemas = subject.kind === "trigger" ? details : noSchemas;
  const [texts, setTexts] = useState(() =>
    first.headers ? receivedTexts(schemas, first.headers) : exampleTexts(schemas),
  );
  const fields = givenFields(schemas, texts);
  const draft = useDraft({ key: storageKey, from: origin, text: first.text, label: first.label });
  const [wanted, setView] = useState<View>("form");
  const view: View = draft.isTooLong ? "json" : wanted;
  const [keyText, setKeyText] = useState("");
  const key = keyText.trim() === "" ? undefined : keyText.trim();
  const starter = useStart(subject, key);
  const disabledReason = useDisabledReason("operate");
  const curl = useCurl(subject, details, key);
  const mod = useModKey();
  const formId = useId();
  const element = useRef<HTMLDivElement>(null);
  const { shown, local, leave, showAll, isSubmitted } = useIssues({
    schema,
    draft: draft.draft,
    rejection: starter.sent === draft.text ? starter.problem : null,
  });
  // A replay skips the filter.
  const activeFilter = subject.kind !== "replay" ? filter : null;
  const hintAt = useCallback((path: readonly (string | number)[]) => filterHint(activeFilter, path), [activeFilter]);
  const isJson = useMemo(() => jsonOf(draft.text) !== undefined, [draft.text]);

  /** The trigger of the next submit, if only one evaluates the delivery. */
  const only = useRef<string | undefined>(undefined);
  const takeOnly = () => {
    const trigger = only.current;
    only.current = undefined;
    return trigger;
  };
  const send = () => {
    const trigger = takeOnly();
    if (draft.fault || disabledReason !== undefined) return;
    if (view === "json" || local.length === 0) return starter.start(draft.text, fields, trigger);
    if (draft.draft && !isFinished(draft.draft)) return showInvalid();
    starter.startDoubtful(draft.text, fields, { ...(trigger && { trigger }), onInvalid: showInvalid });
  };
  const showInvalid = () => {
    showAll();
    focusIssues(local);
  };
  const focusIssues = (issues: readonly Issue[]) => {
    const pointers = issues.map(({ pointer }) => pointer);
    // After the issues are rendered.
    requestAnimationFrame(() => element.current && focusFirstField(element.current, pointers));
  };
  const focusRejected = useEffectEvent(() => view === "form" && focusIssues(shown));
  const rejected = starter.sent === draft.text ? starter.problem : null;
  useEffect(() => {
    if (rejected && rejected.errors.length > 0) focusRejected();
  }, [rejected]);
  const showJson = () => {
    setView("json");
    requestAnimationFrame(() => document.getElementById(`${formId}-json`)?.focus());
  };
  const submit = (trigger?: string) => {
    only.current = trigger;
    if (view === "form" && draft.draft) element.current?.querySelector<HTMLFormElement>("form")?.requestSubmit();
    else if (draft.fault) showJson();
    else send();
  };
  useSendKey(element, () => submit());
  const isShared = useIsShared(subject);
  const setText = (text: string, label?: string) => {
    starter.reset();
    draft.setText(text, label);
  };
  const setJson = (text: string) => {
    // Editing JSON keeps the JSON view, even if the text becomes short enough for a form.
    setView("json");
    setText(text);
  };
  return (
    <div ref={element} className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="grid min-h-0 min-w-0 flex-1 content-start gap-3.5 overflow-auto px-4 py-4" tabIndex={-1}>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <StartFrom
            subject={subject}
            label={draft.label}
            text={draft.text}
            emptyText={() => printDraft(startDraft(schema, schema))}
            exampleText={() => JSON.stringify(example, null, 2)}
            onText={(text, label, received) => {
              setText(text, label);
              if (received) setTexts(receivedTexts(schemas, received));
              else if (label === "example") setTexts(exampleTexts(schemas));
            }}
          />
          <Segmented<View> label="View" value={view} options={views} onChange={setView} />
        </div>
        {isSubmitted && view === "form" && (
          <IssueSummary issues={shown} onShow={(pointer) => element.current && focusField(element.current, pointer)} />
        )}
        <DraftNotes
          draft={draft.draft}
          fault={view === "form" ? draft.fault : null}
          isTooLong={draft.isTooLong}
          bigints={subject.kind === "replay" ? "number" : bigintsOf(details.body)}
          onJson={showJson}
        />
        {fieldParts.map((part) => {
          const partSchema = schemas[part];
          return (
            partSchema && (
              <RequestFields
                key={part}
                part={part}
                schema={partSchema}
                texts={texts[part]}
                onTexts={(changed) => {
                  starter.reset();
                  setTexts({ ...texts, [part]: changed });
                }}
              />
            )
          );
        })}
        {view === "json" && <JsonEditor id={`${formId}-json`} text={draft.text} schema={schema} onText={setJson} />}
        {view === "form" && draft.draft && isPrompt(subject) && hasPrompt(draft.draft) && (
          <PromptForm
            draft={draft.draft}
            issues={shown}
            formId={formId}
            onDraft={draft.setDraft}
            onLeave={leave}
            onSubmit={send}
          />
        )}
        {view === "form" && draft.draft && !(isPrompt(subject) && hasPrompt(draft.draft)) && (
          <DraftForm
            schema={schema}
            draft={draft.draft}
            issues={shown}
            hintAt={hintAt}
            formId={formId}
            onDraft={draft.setDraft}
            onLeave={leave}
            onSubmit={send}
          />
        )}
        {subject.kind === "target" && <RunKeyField text={keyText} hasTrigger={!!subject.via} onText={setKeyText} />}
        {subject.kind !== "replay" && triggerOf(subject) !== null && (
          <VerdictPreview
            subject={subject}
            text={isJson ? draft.text : null}
            fields={subject.kind === "trigger" ? fields : null}
          />
        )}
      </div>
      <div className="sticky bottom-0 grid shrink-0 gap-3 border-t bg-panel px-4 py-3">
        <StartResult starter={starter} areIssuesShown={view === "form"} />
        <div className="flex flex-wrap items-center gap-2">
          <Button
            tone="primary"
            disabledReason={disabledReason}
            disabled={starter.isBusy}
            aria-busy={starter.isBusy}
            aria-keyshortcuts="Meta+Enter Control+Enter"
            onClick={() => submit()}
          >
            {startLabels[subject.kind]}
          </Button>
          {subject.kind === "trigger" && isShared && (
            <Button
              title={`Send it to ${subject.slug} only: the other triggers on the endpoint ignore it`}
              disabledReason={disabledReason}
              disabled={starter.isBusy}
              onClick={() => submit(subject.slug)}
            >
              Only this trigger
            </Button>
          )}
          <span className="inline-flex [&>button]:h-8">
            <CopyButton label="Copy as curl" text={() => curl(draft.text, fields)}>
              Copy as curl
            </CopyButton>
          </span>
          {disabledReason && <span className="text-s text-ink-3">{disabledReason}</span>}
          <kbd className="ml-auto rounded-s whitespace-nowrap max-sm:hidden border border-line-strong px-1.5 text-xs text-ink-3">
            {mod === "⌘" ? "⌘↵" : "Ctrl ↵"}
          </kbd>
        </div>
      </div>
    </div>
  );
}

const views = [
  { value: "form" as const, label: "Form" },
  { value: "json" as const, label: "JSON" },
];

const startLabels: Record<RunSubject["kind"], string> = { trigger: "Send", target: "Run", replay: "Replay" };

/** Whether other triggers evaluate what this form sends. */
function useIsShared(subject: RunSubject): boolean {
  const trpc = useTRPC();
  const names = useQuery(trpc.triggers.names.queryOptions()).data?.triggers ?? [];
  return subject.kind === "trigger" && names.filter(({ endpoint }) => endpoint === subject.endpoint).length > 1;
}

/** The requirement of a trigger's filter for a path, in addition to `request`; `null`: none. */
function filterHint(filter: JsonSchemaObject | null, path: readonly (string | number)[]): string | null {
  if (filter === null || path.length === 0) return null;
  let at = filter;
  for (const step of path) {
    const next = own(asSchema(flatten(at, filter)["properties"]), String(step));
    if (next === undefined || typeof step === "number") return null;
    at = asSchema(next);
  }
  // The fields of an object have their own hints.
  if (flatten(at, filter)["properties"] !== undefined) return null;
  return describeSchema(at, filter);
}

/**
 * Ctrl+Enter (or ⌘+Enter) sends a form from anywhere in its sheet or dialog. On a link, it opens the link in a new tab,
 * as usual.
 */
function useSendKey(form: RefObject<HTMLElement | null>, send: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.metaKey || event.ctrlKey) || event.defaultPrevented || event.repeat) return;
    if (!form.current || !isForForm(form.current, event.target)) return;
    event.preventDefault();
    send();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKeyDown(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
}

function isForForm(form: HTMLElement, target: EventTarget | null): boolean {
  // A dialog above the form handles its own keys.
  const top = [...document.querySelectorAll("dialog:modal")].at(-1);
  if (top && !top.contains(form)) return false;
  if (!(target instanceof Element) || target.closest("a[href]")) return false;
  return target === document.body || (form.closest("aside, dialog") ?? form).contains(target);
}
