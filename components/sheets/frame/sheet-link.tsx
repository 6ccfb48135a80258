"use client";

import Link from "next/link";
import { usePathname, useSearchParams } from "next/navigation";
import { parseAsString, useQueryStates } from "nuqs";
import type { MouseEvent, ReactNode } from "react";

const parsers = { node: parseAsString, tab: parseAsString, from: parseAsString };

/**
 * Opens another node's sheet. On the canvas, it keeps the time window and the filters, and does not reload the page.
 * From another page, it opens the canvas.
 */
export function SheetLink({
  node,
  tab,
  className,
  children,
}: {
  node: SheetNode;
  tab?: string;
  className?: string;
  children: ReactNode;
}) {
  const search = useSearchParams();
  const isOnCanvas = usePathname() === "/";
  const [, set] = useQueryStates(parsers, { history: "push" });
  const onClick = (event: MouseEvent) => {
    if (!isOnCanvas || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void set({ node: `${node.kind}:${node.id}`, tab: tab ?? null, from: null });
  };
  return (
    <Link
      href={sheetHref({ node, tab, search: isOnCanvas ? search.toString() : "" })}
      prefetch={false}
      data-shallow=""
      onClick={onClick}
      className={className}
    >
      {children}
    </Link>
  );
}

/** The node of a sheet. `id`: the endpoint, or the slug. */
export interface SheetNode {
  kind: "endpoint" | "trigger" | "workflow" | "agent";
  id: string;
}

/** The URL of the canvas with this node's sheet open. Keeps the parameters in `search`, except those of another sheet. */
function sheetHref({ node, tab, search = "" }: { node: SheetNode; tab?: string | undefined; search?: string }): string {
  const parameters = new URLSearchParams(search);
  parameters.delete("from");
  parameters.delete("via");
  parameters.delete("tab");
  parameters.set("node", `${node.kind}:${node.id}`);
  if (tab !== undefined) parameters.set("tab", tab);
  return `/?${parameters.toString()}`;
}
