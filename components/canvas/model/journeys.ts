import type { VisibleGraph } from "./visible-graph.ts";

/** What just arrived, as the service tells it. */
export interface Pulse {
  endpoint: string;
  matched: readonly string[];
  stopped: readonly string[];
}

/** One dot: along an edge, and when the trigger matched on along those behind it. */
export interface Journey {
  first: string;
  onward: string[];
  isStopped: boolean;
}

/**
 * The ways of deliveries over the edges that are drawn, at most `limit`. A trigger with several targets is entered
 * once.
 */
export function journeysOf({ edges }: VisibleGraph, pulses: readonly Pulse[], limit: number): Journey[] {
  const entries = new Map<string, string>();
  const exits = new Map<string, string>();
  for (const { id, kind, attachments } of edges) {
    for (const attachment of attachments) (kind === "starts" ? exits : entries).set(attachment, id);
  }
  const journeys: Journey[] = [];
  for (const { matched, stopped } of pulses) {
    const ways = new Map<string, Journey>();
    for (const attachment of [...matched, ...stopped]) {
      const first = entries.get(attachment);
      if (first === undefined) continue;
      const isMatch = matched.includes(attachment);
      const exit = exits.get(attachment);
      // A folded endpoint leads straight to targets: what was stopped never set out on such an edge.
      if (!isMatch && exit === undefined) continue;
      const way = ways.get(first) ?? { first, onward: [], isStopped: !isMatch };
      if (isMatch && exit !== undefined) way.onward.push(exit);
      ways.set(first, way);
    }
    journeys.push(...ways.values());
  }
  return journeys.slice(0, limit);
}
