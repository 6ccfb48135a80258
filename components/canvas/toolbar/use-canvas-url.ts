"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { type CanvasWindow, defaultWindow, windows } from "../live/activity-request.ts";
import { canvasStatuses, type NodeFilters } from "./matching-nodes.ts";

/** `node`: the id of the opened node. */
export interface CanvasUrl extends NodeFilters {
  window: CanvasWindow;
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
  ask: parseAsString,
};

/** The state of the canvas in the URL. Filters replace the history entry; opening a node adds one. */
export function useCanvasUrl() {
  const [{ window, endpoint, status, q, node }, set] = useQueryStates(parsers);
  const url = useMemo((): CanvasUrl => ({ window, endpoint, status, q, node }), [window, endpoint, status, q, node]);
  const filter = useCallback((change: Partial<Omit<CanvasUrl, "node">>) => void set(change), [set]);
  const open = useCallback(
    (id: string | null) => void set({ node: id, tab: null, from: null, via: null, ask: null }, { history: "push" }),
    [set],
  );
  return { url, filter, open };
}
