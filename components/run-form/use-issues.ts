"use client";

import { useCallback, useDeferredValue, useMemo, useState } from "react";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import type { ProblemText } from "../ui/problem-of.ts";
import { checkDraft } from "./check/check-draft.ts";
import type { Issue } from "./check/check-value.ts";
import type { Draft } from "./draft/draft.ts";

interface Issues {
  /** The visible issues: of fields that lost the focus, of all fields after a submit, and from the server. */
  shown: readonly Issue[];
  /** All issues that the form finds by the exported schema: hints, because the server decides by the schema itself. */
  local: readonly Issue[];
  leave: (pointer: string) => void;
  showAll: () => void;
  isSubmitted: boolean;
}

/** The server lists no more. */
const maxFromServer = 20;

/**
 * The issues that the server found, which decide. The form has them in its own words, if it found them as well. What
 * only the form found is no issue.
 */
export function decidedIssues(local: readonly Issue[], fromServer: readonly Issue[]): Issue[] {
  const pointers = new Set(fromServer.map(({ pointer }) => pointer));
  const confirmed = fromServer.length < maxFromServer ? local.filter(({ pointer }) => pointers.has(pointer)) : local;
  const known = new Set(confirmed.map(({ pointer }) => pointer));
  return [
    ...confirmed,
    ...fromServer
      .filter(({ pointer }) => !known.has(pointer))
      .map((one) => ({ ...one, message: one.message.replace(/\.$/, "") })),
  ];
}

/** Issues that are visible before the field loses the focus. */
const urgent = new Set(["json"]);

/** The validation issues of a draft, and which of them are visible. `rejection`: the server rejected this draft. */
export function useIssues({
  schema,
  draft,
  rejection,
}: {
  schema: JsonSchemaObject;
  draft: Draft | null;
  rejection: Pick<ProblemText, "errors"> | null;
}): Issues {
  const checked = useDeferredValue(draft);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSubmitted, setIsSubmitted] = useState(false);
  const local = useMemo(() => (checked ? checkDraft(schema, schema, checked) : []), [schema, checked]);
  const shown = useMemo(() => {
    if (rejection) return decidedIssues(local, rejection.errors);
    return local.filter(({ pointer, code }) => isSubmitted || urgent.has(code) || left.has(pointer));
  }, [local, isSubmitted, left, rejection]);
  const leave = useCallback(
    (pointer: string) => setLeft((before) => (before.has(pointer) ? before : new Set([...before, pointer]))),
    [],
  );
  const showAll = useCallback(() => setIsSubmitted(true), []);
  return { shown, local, leave, showAll, isSubmitted: isSubmitted || rejection !== null };
}
