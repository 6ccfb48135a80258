/** What a sheet is about. `id`: the endpoint, or the slug. */
export interface SheetNode {
  kind: "endpoint" | "trigger" | "workflow" | "agent";
  id: string;
}

/**
 * The canvas with this node's sheet open, on one of its tabs. What else the address says (`search`) stays, but for what
 * belongs to another sheet.
 */
export function sheetHref({
  node,
  tab,
  search = "",
}: {
  node: SheetNode;
  tab?: string | undefined;
  search?: string;
}): string {
  const kept = new URLSearchParams(search);
  kept.delete("from");
  kept.delete("via");
  kept.delete("tab");
  kept.set("node", `${node.kind}:${node.id}`);
  if (tab !== undefined) kept.set("tab", tab);
  return `/?${kept.toString()}`;
}
