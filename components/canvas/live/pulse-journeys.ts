import type { VisibleGraph } from "../../graph/visible-graph.ts";

/** A new delivery, as reported by the server. */
export interface Pulse {
  endpoint: string;
  matched: readonly string[];
  stopped: readonly string[];
}

/** The path of one dot: along an edge, and after a match along the edges behind the trigger. */
export interface Journey {
  first: string;
  onward: string[];
  isStopped: boolean;
}

/** The journeys of deliveries over visible edges, at most `limit`. A trigger with several targets is entered once. */
export function journeysOf({ edges }: VisibleGraph, pulses: readonly Pulse[], limit: number): Journey[] {
  const entries = new Map<string, string>();
  const exits = new Map<string, string>();
  for (const { id, kind, attachments } of edges) {
    for (const attachment of attachments) (kind === "starts" ? exits : entries).set(attachment, id);
  }
  const journeys: Journey[] = [];
  for (const { matched, stopped } of pulses) {
    const byEdge = new Map<string, Journey>();
    for (const attachment of [...matched, ...stopped]) {
      const first = entries.get(attachment);
      if (first === undefined) continue;
      const isMatch = matched.includes(attachment);
      const exit = exits.get(attachment);
      // The edges of a collapsed endpoint lead to targets. Stopped deliveries never use such an edge.
      if (!isMatch && exit === undefined) continue;
      const journey = byEdge.get(first) ?? { first, onward: [], isStopped: !isMatch };
      if (isMatch && exit !== undefined) journey.onward.push(exit);
      byEdge.set(first, journey);
    }
    journeys.push(...byEdge.values());
  }
  return journeys.slice(0, limit);
}
