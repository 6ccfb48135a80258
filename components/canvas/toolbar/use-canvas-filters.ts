"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useMemo, useSyncExternalStore } from "react";
import { type CanvasWindow, defaultWindow, windows } from "../live/activity-request.ts";
import type { EvidenceStore } from "../live/evidence.ts";
import type { CanvasModel } from "../model/canvas-model.ts";
import { type CanvasStatus, canvasStatuses, findMatchingIds, type Known } from "./matching-nodes.ts";

export interface CanvasUrl {
  window: CanvasWindow;
  endpoint: string | null;
  status: CanvasStatus;
  q: string;
  /** Id of the opened node. */
  node: string | null;
}

const parsers = {
  window: parseAsStringLiteral(windows.map(({ value }) => value)).withDefault(defaultWindow),
  endpoint: parseAsString,
  status: parseAsStringLiteral(canvasStatuses).withDefault("all"),
  q: parseAsString.withDefault(""),
  node: parseAsString,
  // State of the sheet. Opening another node resets it.
  tab: parseAsString,
  from: parseAsString,
  via: parseAsString,
};

/** The state of the canvas in the URL. Filters replace the history entry; opening a node adds one. */
export function useCanvasUrl() {
  const [{ window, endpoint, status, q, node }, set] = useQueryStates(parsers);
  const url = useMemo((): CanvasUrl => ({ window, endpoint, status, q, node }), [window, endpoint, status, q, node]);
  const filter = useCallback((change: Partial<Omit<CanvasUrl, "node">>) => void set(change), [set]);
  const open = useCallback(
    (id: string | null) => void set({ node: id, tab: null, from: null, via: null }, { history: "push" }),
    [set],
  );
  return { url, filter, open };
}

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
