import type { VisibleGraph } from "./visible-graph.ts";
import { nodeSize } from "./node-size.ts";

/**
 * Equal for graphs with the same layout: the same nodes, sizes and edges. Contains a version number that invalidates
 * old caches when the layout algorithm changes.
 */
export function layoutKey({ nodes, edges }: VisibleGraph): string {
  const text = [...nodes.map((node) => `${node.id} ${nodeSize(node).height}`), ...edges.map(({ id }) => id)].join("\n");
  return `1-${hash(text)}-${nodes.length}`;
}

/** FNV-1a with 2 × 32 bits: short, not cryptographic. */
function hash(text: string): string {
  let one = 0x811c9dc5;
  let two = 0x9747b28c;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
  }
  return (one >>> 0).toString(36) + (two >>> 0).toString(36);
}
