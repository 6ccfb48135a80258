"use client";

import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useMemo } from "react";
import { type CanvasStatus, canvasStatuses } from "./model/kept-nodes.ts";
import { type CanvasWindow, defaultWindow, windows } from "./model/windows.ts";

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
