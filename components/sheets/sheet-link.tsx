"use client";

import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useQueryStates, parseAsString } from "nuqs";
import type { MouseEvent, ReactNode } from "react";
import { type SheetNode, sheetHref } from "./sheet-node.ts";

const parsers = { node: parseAsString, tab: parseAsString, from: parseAsString };

/** Opens another node's sheet. Keeps the time window and the filters of the canvas, and does not reload the page. */
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
  const [, set] = useQueryStates(parsers, { history: "push" });
  const onClick = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void set({ node: `${node.kind}:${node.id}`, tab: tab ?? null, from: null });
  };
  return (
    <Link
      href={sheetHref({ node, tab, search: search.toString() })}
      prefetch={false}
      data-shallow=""
      onClick={onClick}
      className={className}
    >
      {children}
    </Link>
  );
}
