/** The node of a sheet. `id`: the endpoint, or the slug. */
export interface SheetNode {
  kind: "endpoint" | "trigger" | "workflow" | "agent";
  id: string;
}

/** The URL of the canvas with this node's sheet open. Keeps the parameters in `search`, except those of another sheet. */
export function sheetHref({
  node,
  tab,
  search = "",
}: {
  node: SheetNode;
  tab?: string | undefined;
  search?: string;
}): string {
  const parameters = new URLSearchParams(search);
  parameters.delete("from");
  parameters.delete("via");
  parameters.delete("tab");
  parameters.set("node", `${node.kind}:${node.id}`);
  if (tab !== undefined) parameters.set("tab", tab);
  return `/?${parameters.toString()}`;
}
