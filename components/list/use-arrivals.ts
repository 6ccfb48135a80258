"use client";

import { useState } from "react";

const none: ReadonlySet<string> = new Set();

/** The rows that came on top just now. A list that was exchanged as a whole (another filter) has none. */
export function useArrivals(keys: readonly string[]): ReadonlySet<string> {
  const top = keys[0];
  const [state, setState] = useState({ top, arrived: none });
  if (top === state.top) return state.arrived;
  const place = state.top === undefined ? -1 : keys.indexOf(state.top);
  const next = { top, arrived: place > 0 ? new Set(keys.slice(0, place)) : none };
  setState(next);
  return next.arrived;
}
