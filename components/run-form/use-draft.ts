"use client";

import { useCallback, useEffect, useMemo, useState } from "react";
import { type JsonFault, parseDraft, printDraft } from "./draft/draft-text.ts";
import type { Draft } from "./draft/draft.ts";

/** A form of a longer text would block the page: it is edited as JSON. */
export const maxFormCharacters = 100_000;

export interface DraftState {
  text: string;
  label: string;
  /** `null`: the text is not JSON, or too long for a form. */
  draft: Draft | null;
  fault: JsonFault | null;
  isTooLong: boolean;
  /** From the JSON view or a menu. */
  setText: (text: string, label?: string) => void;
  /** From the form. */
  setDraft: (draft: Draft) => void;
}

interface State {
  text: string;
  label: string;
  /** The form's own draft, while the form owns the text. */
  own: Draft | null;
  isTouched: boolean;
}

/**
 * One draft for both views. The text is the source of truth. The form edits its parsed draft, which is kept (with the
 * stored values of union alternatives) until the text is changed elsewhere.
 */
export function useDraft({
  key,
  from,
  text: firstText,
  label: firstLabel,
}: {
  key: string;
  from: string | null;
  text: string;
  label: string;
}): DraftState {
  const [{ text, label, own, isTouched }, setState] = useState<State>({
    text: firstText,
    label: firstLabel,
    own: null,
    isTouched: false,
  });
  const isTooLong = text.length > maxFormCharacters;
  const parsed = useMemo(() => (own || isTooLong ? null : parseDraft(text)), [own, isTooLong, text]);
  useEffect(() => {
    if (isTouched) storeDraft(key, { text, label, from });
  }, [isTouched, key, text, label, from]);
  const setText = useCallback(
    (text: string, label?: string) =>
      setState((before) => ({ text, label: label ?? before.label, own: null, isTouched: true })),
    [],
  );
  const setDraft = useCallback(
    (draft: Draft) =>
      setState((before) => ({ text: printDraft(draft), label: before.label, own: draft, isTouched: true })),
    [],
  );
  return {
    text,
    label,
    draft: isTooLong ? null : (own ?? parsed?.draft ?? null),
    fault: parsed?.fault ?? null,
    isTooLong,
    setText,
    setDraft,
  };
}

/** A draft that survives a reload of the page. */
interface StoredDraft {
  text: string;
  /** The source of the draft, as text. */
  label: string;
  /** The delivery or run in the URL at that time. */
  from: string | null;
}

/** The draft stored in this tab; `null`: none, or not readable. */
export function readStoredDraft(key: string): StoredDraft | null {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (typeof stored !== "object" || stored === null) return null;
    const { text, label, from } = Object.assign({ text: null, label: null, from: null }, stored);
    if (typeof text !== "string" || typeof label !== "string") return null;
    return { text, label, from: typeof from === "string" ? from : null };
  } catch {
    return null;
  }
}

/** Without storage, or with full storage, drafts are lost on reload. */
function storeDraft(key: string, draft: StoredDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // See above.
  }
}
