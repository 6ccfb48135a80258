"use client";

import { useQueryState } from "nuqs";
import { useState } from "react";
import { ErrorNote } from "../ui/states.tsx";
import { emptyDraft } from "./draft/new-draft.ts";
import { printDraft } from "./draft/draft-text.ts";
import { FormSkeleton } from "./form-skeleton.tsx";
import { readStoredDraft } from "./use-draft.ts";
import { RunFormBody } from "./run-form-body.tsx";
import { isPrompt, type RunFormProps, type RunSubject, storageKeyOf } from "./run-subject.ts";
import { type FirstText, type SubjectDetails, useFirstText, useSubject } from "./use-subject.ts";

/** Loads the schema and the initial text of the form. */
export function RunFormPanel({ subject, initialText, initialLabel = "given", onText }: RunFormProps) {
  const [address] = useQueryState("from");
  const from = subject.kind === "replay" ? null : address;
  const { details, error, retry } = useSubject(subject);
  const fetched = useFirstText(subject, from);
  const given: FirstText | null | undefined =
    initialText === undefined ? fetched.first : { text: initialText, label: initialLabel };
  const key = storageKeyOf(subject);
  const origin = from ?? (initialText === undefined ? null : `given:${initialLabel}:${initialText.length}`);
  if (error) return <Failed error={error} what="The schema could not be loaded" retry={retry} />;
  if (fetched.error && initialText === undefined)
    return (
      <StartAnyway error={fetched.error}>
        {details ? (
          <RunFormBody
            subject={subject}
            details={details}
            first={firstOf(subject, details)}
            storageKey={key}
            origin={null}
            onText={onText}
          />
        ) : (
          <FormSkeleton />
        )}
      </StartAnyway>
    );
  if (!details || given === undefined) return <FormSkeleton />;
  const kept = readStoredDraft(key);
  const isSame = kept !== null && (origin === null || kept.from === origin);
  return (
    <RunFormBody
      key={`${key} ${origin ?? ""}`}
      subject={subject}
      details={details}
      first={isSame ? { ...kept, headers: given?.headers } : (given ?? firstOf(subject, details))}
      storageKey={key}
      origin={origin}
      onText={onText}
    />
  );
}

function Failed({ error, what, retry }: { error: unknown; what: string; retry: () => void }) {
  return (
    <div className="p-4">
      <ErrorNote error={error} title={what} retry={retry} />
    </div>
  );
}

/** The delivery or run in the URL could not be loaded: shows the error once, with a form that starts without it. */
function StartAnyway({ error, children }: { error: unknown; children: React.ReactNode }) {
  const [isSeen, setIsSeen] = useState(false);
  return (
    <>
      {!isSeen && (
        <Failed error={error} what="The delivery or run in the URL could not be loaded" retry={() => setIsSeen(true)} />
      )}
      {children}
    </>
  );
}

/** A prompt starts empty: a generated example would be meaningless. */
function firstOf(subject: RunSubject, { schema, example }: SubjectDetails): FirstText {
  if (isPrompt(subject)) return { text: JSON.stringify({ prompt: "" }, null, 2), label: "empty" };
  if (example !== null) return { text: JSON.stringify(example, null, 2), label: "example" };
  const empty = emptyDraft(schema, schema);
  return { text: empty ? printDraft(empty) : "null", label: "empty" };
}
