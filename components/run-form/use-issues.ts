"use client";

import { useCallback, useDeferredValue, useMemo, useState } from "react";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import type { ProblemText } from "../trpc/problem-of.ts";
import { checkDraft } from "./check/check-draft.ts";
import type { Issue } from "./check/check-value.ts";
import type { Draft } from "./draft/draft.ts";

interface Issues {
  /** The visible issues: of fields that lost the focus, of all fields after a submit, and from the server. */
  shown: readonly Issue[];
  /** All issues that the form finds. */
  local: readonly Issue[];
  leave: (pointer: string) => void;
  showAll: () => void;
  isSubmitted: boolean;
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
    const seen = local.filter(({ pointer, code }) => isSubmitted || urgent.has(code) || left.has(pointer));
    const fromServer = (rejection?.errors ?? []).filter(({ pointer }) => !seen.some((one) => one.pointer === pointer));
    return [...seen, ...fromServer.map((one) => ({ ...one, message: one.message.replace(/\.$/, "") }))];
  }, [local, isSubmitted, left, rejection]);
  const leave = useCallback(
    (pointer: string) => setLeft((before) => (before.has(pointer) ? before : new Set([...before, pointer]))),
    [],
  );
  const showAll = useCallback(() => setIsSubmitted(true), []);
  return { shown, local, leave, showAll, isSubmitted: isSubmitted || rejection !== null };
}
