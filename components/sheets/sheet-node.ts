/** What a sheet is about. `id`: the endpoint, or the slug. */
export interface SheetNode {
  kind: "endpoint" | "trigger" | "workflow" | "agent";
  id: string;
}

/** The canvas with this node's sheet open, on one of its tabs. */
export function sheetHref(node: SheetNode, tab?: string): string {
  const place = `/?node=${encodeURIComponent(`${node.kind}:${node.id}`)}`;
  return tab === undefined ? place : `${place}&tab=${encodeURIComponent(tab)}`;
}
