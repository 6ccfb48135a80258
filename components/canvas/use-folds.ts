"use client";

import { useCallback, useMemo, useState } from "react";
import type { CanvasModel } from "./model/canvas-model.ts";
import type { CanvasStorage } from "./canvas-storage.ts";

export interface Folds {
  /** Ids of collapsed endpoints. */
  collapsed: ReadonlySet<string>;
  toggle(endpointId: string): void;
  /** Collapses all endpoints with several triggers, or expands all. */
  foldAll(isFolded: boolean): void;
}

/** The collapsed endpoints, stored for the next visit. The endpoint of the opened trigger is always expanded. */
export function useFolds({
  model,
  storage,
  opened,
}: {
  model: CanvasModel;
  storage: CanvasStorage;
  opened: string | null;
}): Folds {
  const [chosen, setChosen] = useState(() => storage.collapsed());
  const node = opened === null ? undefined : model.byId.get(opened);
  const home = node?.kind === "trigger" ? `endpoint:${node.endpoint}` : null;
  const choose = useCallback(
    (next: ReadonlySet<string>) => {
      setChosen(next);
      storage.keepCollapsed(next);
    },
    [storage],
  );
  // Opening a trigger by a link or by search expands its endpoint permanently.
  if (home !== null && chosen.has(home)) setChosen(without(chosen, home));
  return useMemo(() => {
    const foldable = model.endpoints.flatMap(({ id, triggers }) => (triggers.length > 1 ? [id] : []));
    return {
      collapsed: new Set(foldable.filter((id) => chosen.has(id))),
      toggle: (id) => choose(chosen.has(id) ? without(chosen, id) : new Set([...chosen, id])),
      foldAll: (isFolded) => choose(new Set(isFolded ? foldable : [])),
    };
  }, [model, chosen, choose]);
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((one) => one !== id));
}
