"use client";

import { useState } from "react";

const none: ReadonlySet<string> = new Set();

/** The rows that were just added on top. A replaced list (another filter) has none. */
export function useArrivals(keys: readonly string[]): ReadonlySet<string> {
  const top = keys[0];
  const [state, setState] = useState({ top, arrived: none });
  if (top === state.top) return state.arrived;
  const index = state.top === undefined ? -1 : keys.indexOf(state.top);
  const next = { top, arrived: index > 0 ? new Set(keys.slice(0, index)) : none };
  setState(next);
  return next.arrived;
}
