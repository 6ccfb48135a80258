"use client";

import Link from "next/link";
import type { Graph } from "./answers.ts";
import { nearNames } from "./near-names.ts";
import { SheetFrame } from "./sheet-frame.tsx";
import { SheetLink } from "./sheet-link.tsx";
import type { SheetNode } from "./sheet-node.ts";

/** Shown for an outdated link: the node does not exist in this build. Suggests similar names. */
export function MissingNode({ node, graph, onClose }: { node: SheetNode; graph: Graph; onClose: () => void }) {
  const near = nearNames(node.id, namesOf(graph, node.kind));
  return (
    <SheetFrame node={node} onClose={onClose}>
      <div className="border-t px-[18px] py-4">
        <p className="font-semibold">Unknown {node.kind}</p>
        <p className="mt-1 text-ink-2">
          This build has no {node.kind} with this name. It may have been renamed or removed.
        </p>
        {near.length > 0 && (
          <>
            <p className="mt-4 text-ink-2">Did you mean</p>
            <ul className="mt-1 grid gap-1">
              {near.map((id) => (
                <li key={id}>
                  <SheetLink
                    node={{ kind: node.kind, id }}
                    className="font-mono break-words text-accent hover:underline"
                  >
                    {id}
                  </SheetLink>
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="mt-4">
          You can still open{" "}
          <Link href={historyHref(node)} className="text-accent hover:underline">
            {node.kind === "endpoint" || node.kind === "trigger" ? "its deliveries" : "its runs"}
          </Link>
          .
        </p>
      </div>
    </SheetFrame>
  );
}

function namesOf(graph: Graph, kind: SheetNode["kind"]): string[] {
  if (kind === "endpoint") return graph.triggers.map(({ endpoint }) => endpoint);
  if (kind === "trigger") return graph.triggers.map(({ slug }) => slug);
  return graph.targets.filter((target) => target.kind === kind).map(({ slug }) => slug);
}

function historyHref({ kind, id }: SheetNode): string {
  if (kind === "endpoint") return `/deliveries?endpoint=${encodeURIComponent(id)}`;
  return kind === "trigger"
    ? `/deliveries?trigger=${encodeURIComponent(id)}`
    : `/runs?target=${encodeURIComponent(id)}`;
}
