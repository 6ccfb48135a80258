"use client";

import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { Window } from "../../server/contract/traffic.ts";
import { nearNames } from "../../sdk/did-you-mean.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/states.tsx";
import type { Graph } from "../graph/canvas-model.ts";
import { EndpointSheet } from "./endpoint/endpoint-sheet.tsx";
import { SheetFrame, SheetSkeleton } from "./frame/sheet-frame.tsx";
import { SheetLink, type SheetNode } from "./frame/sheet-link.tsx";
import { TargetSheet } from "./target/target-sheet.tsx";
import { TriggerSheet } from "./trigger/trigger-sheet.tsx";

export interface NodeSheetProps {
  node: SheetNode;
  window: Window;
  onClose: () => void;
}

/** The side sheet of an endpoint, a trigger, a workflow or an agent. Its tab is in the URL. */
export function NodeSheet({ node, window, onClose }: NodeSheetProps) {
  const trpc = useTRPC();
  const graph = useQuery(trpc.canvas.graph.queryOptions());
  if (!graph.data) {
    return (
      <SheetFrame node={node} onClose={onClose}>
        {graph.error ? (
          <div className="px-[18px] py-4">
            <ErrorNote
              error={graph.error}
              title={`The ${node.kind} could not be loaded`}
              retry={() => void graph.refetch()}
            />
          </div>
        ) : (
          <SheetSkeleton label={`Loading ${node.kind}`} />
        )}
      </SheetFrame>
    );
  }
  if (!exists(graph.data, node))
    return <MissingNode key={`${node.kind}:${node.id}`} node={node} graph={graph.data} onClose={onClose} />;
  const key = `${node.kind}:${node.id}`;
  if (node.kind === "endpoint")
    return <EndpointSheet key={key} endpoint={node.id} graph={graph.data} window={window} onClose={onClose} />;
  if (node.kind === "trigger")
    return <TriggerSheet key={key} slug={node.id} graph={graph.data} window={window} onClose={onClose} />;
  return <TargetSheet key={key} target={{ kind: node.kind, slug: node.id }} window={window} onClose={onClose} />;
}

function exists({ sources, triggers, targets }: Graph, { kind, id }: SheetNode): boolean {
  return [...sources, ...triggers, ...targets].some((node) => node.id === `${kind}:${id}`);
}

/** Shown for an outdated link: the node does not exist in this build. Suggests similar names. */
function MissingNode({ node, graph, onClose }: { node: SheetNode; graph: Graph; onClose: () => void }) {
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
          <Link href={historyHref(node)} className="text-accent underline">
            {node.kind === "endpoint" || node.kind === "trigger" ? "its deliveries" : "its runs"}
          </Link>
          .
        </p>
      </div>
    </SheetFrame>
  );
}

function namesOf({ sources, triggers, targets }: Graph, kind: SheetNode["kind"]): string[] {
  return [...sources, ...triggers, ...targets].flatMap(({ id }) =>
    id.startsWith(`${kind}:`) ? [id.slice(kind.length + 1)] : [],
  );
}

function historyHref({ kind, id }: SheetNode): string {
  if (kind === "endpoint") return `/deliveries?endpoint=${encodeURIComponent(id)}`;
  return kind === "trigger"
    ? `/deliveries?trigger=${encodeURIComponent(id)}`
    : `/runs?target=${encodeURIComponent(id)}`;
}
