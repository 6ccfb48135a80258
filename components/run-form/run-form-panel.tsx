"use client";

import { useQueryState } from "nuqs";
import { useState } from "react";
import { ErrorNote } from "../ui/states.tsx";
import { emptyDraft } from "./draft/new-draft.ts";
import { printDraft } from "./draft/draft-text.ts";
import { FormSkeleton } from "./form-skeleton.tsx";
import { readStoredDraft } from "./use-draft.ts";
import { RunFormBody } from "./run-form-body.tsx";
import { isPrompt, type RunSubject, storageKeyOf } from "./run-subject.ts";
import { type FirstText, type SubjectDetails, useFirstText, useSubject } from "./use-subject.ts";

/** Loads the schema and the initial text of the form. */
export function RunFormPanel({ subject }: { subject: RunSubject }) {
  const [address] = useQueryState("from");
  const from = subject.kind === "replay" ? null : address;
  const { details, error, retry } = useSubject(subject);
  const { first: given, error: firstError } = useFirstText(subject, from);
  const storageKey = storageKeyOf(subject);
  if (error) return <Failed error={error} what="The schema could not be loaded" retry={retry} />;
  if (!details || (given === undefined && !firstError)) return <FormSkeleton />;
  const common = { subject, details, storageKey };
  if (firstError)
    return (
      <StartAnyway error={firstError}>
        <RunFormBody {...common} first={firstOf(subject, details)} origin={null} />
      </StartAnyway>
    );
  const kept = readStoredDraft(storageKey);
  const isSame = kept !== null && (from === null || kept.from === from);
  const first = isSame ? { ...kept, headers: given?.headers } : (given ?? firstOf(subject, details));
  return <RunFormBody {...common} key={`${storageKey} ${from ?? ""}`} first={first} origin={from} />;
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
