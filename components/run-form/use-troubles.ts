"use client";

import { useCallback, useDeferredValue, useMemo, useState } from "react";
import type { JsonSchemaObject } from "../../server/contract/json.ts";
import type { ProblemWords } from "../trpc/problem-of.ts";
import { checkDraft } from "./check/check-draft.ts";
import type { Trouble } from "./check/trouble.ts";
import type { Draft } from "./draft/draft.ts";

interface Troubles {
  /** What is seen: of places that were left, after a submit of all, and what the server said. */
  shown: readonly Trouble[];
  /** Everything that the form itself finds. */
  local: readonly Trouble[];
  leave: (pointer: string) => void;
  showAll: () => void;
  isSubmitted: boolean;
}

/** Told at once: nobody has to leave a place to see that it cannot be read. */
const urgent = new Set(["json", "duplicate"]);

/** What is wrong with a draft, and how much of it is to be seen. `told`: how the server rejected just this draft. */
export function useTroubles({
  schema,
  draft,
  told: problem,
}: {
  schema: JsonSchemaObject;
  draft: Draft | null;
  told: Pick<ProblemWords, "errors"> | null;
}): Troubles {
  const checked = useDeferredValue(draft);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isSubmitted, setIsSubmitted] = useState(false);
  const local = useMemo(() => (checked ? checkDraft(schema, schema, checked) : []), [schema, checked]);
  const shown = useMemo(() => {
    const seen = local.filter(({ pointer, code }) => isSubmitted || urgent.has(code) || left.has(pointer));
    const told = (problem?.errors ?? []).filter(({ pointer }) => !seen.some((one) => one.pointer === pointer));
    return [...seen, ...told.map((one) => ({ ...one, message: one.message.replace(/\.$/, "") }))];
  }, [local, isSubmitted, left, problem]);
  const leave = useCallback(
    (pointer: string) => setLeft((before) => (before.has(pointer) ? before : new Set([...before, pointer]))),
    [],
  );
  const showAll = useCallback(() => setIsSubmitted(true), []);
  return { shown, local, leave, showAll, isSubmitted: isSubmitted || problem !== null };
}
