"use client";

import { useMemo, useSyncExternalStore } from "react";
import type { EvidenceStore } from "./evidence-store.ts";
import type { CanvasModel } from "./model/build-model.ts";
import { type CanvasStatus, type Known, findMatchingIds } from "./model/kept-nodes.ts";

/** The ids of nodes that match the filters. Subscribes to traffic only for a status filter. */
export function useMatchingIds({
  model,
  store,
  text,
  status,
}: {
  model: CanvasModel;
  store: EvidenceStore;
  text: string;
  status: CanvasStatus;
}): ReadonlySet<string> | null {
  const isListening = status !== "all";
  const version = useSyncExternalStore(
    isListening ? store.subscribeAll : never,
    () => (isListening ? store.version() : 0),
    () => 0,
  );
  return useMemo(() => {
    const known: Known = {
      evidence: (id) => {
        const node = model.byId.get(id);
        return node?.kind === "trigger" ? store.evidence(node.attachmentIds) : undefined;
      },
      target: store.target,
    };
    return findMatchingIds(model, { text, status, known });
    // The store's values change with its version.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [model, store, text, status, version]);
}

function never(): () => void {
  return () => {};
}
