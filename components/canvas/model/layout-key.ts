import type { VisibleGraph } from "./visible-graph.ts";
import { nodeSize } from "./node-size.ts";

/**
 * Equal for graphs that are laid out alike: the same nodes of the same sizes, joined in the same way. Numbered, so that
 * old caches are forgotten when the layout changes.
 */
export function layoutKey({ nodes, edges }: VisibleGraph): string {
  const text = [...nodes.map((node) => `${node.id} ${nodeSize(node).height}`), ...edges.map(({ id }) => id)].join("\n");
  return `1-${hash(text)}-${nodes.length}`;
}

/** FNV-1a over 2 × 32 bits: no secret, only short. */
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
