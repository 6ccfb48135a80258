"use client";

import { useQuery } from "@tanstack/react-query";
import type { Window } from "../../server/contract/window.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import type { Graph } from "./answers.ts";
import { EndpointSheet } from "./endpoint-sheet.tsx";
import { MissingNode } from "./missing-node.tsx";
import { SheetFrame, SheetSkeleton } from "./sheet-frame.tsx";
import type { SheetNode } from "./sheet-node.ts";
import { TargetSheet } from "./target-sheet.tsx";
import { TriggerSheet } from "./trigger-sheet.tsx";

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
              what={`The ${node.kind} could not be loaded`}
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

function exists({ triggers, targets }: Graph, { kind, id }: SheetNode): boolean {
  if (kind === "endpoint") return triggers.some(({ endpoint }) => endpoint === id);
  if (kind === "trigger") return triggers.some(({ slug }) => slug === id);
  return targets.some((target) => target.kind === kind && target.slug === id);
}
