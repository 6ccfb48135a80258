"use client";

import { useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useMemo, useState } from "react";
import { NodeSheet } from "../sheets/node-sheet.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import { ActivityFeed } from "./activity-feed.tsx";
import { CanvasSkeleton } from "./canvas-skeleton.tsx";
import { createEvidenceStore } from "./evidence-store.ts";
import { FirstTrigger } from "./first-steps.tsx";
import type { Graph } from "./model/answers.ts";
import { buildModel } from "./model/build-model.ts";
import { chunksFor, chunksOf } from "./model/chunks.ts";
import { parseNodeId } from "./model/node-id.ts";
import { TriggerList } from "./trigger-list.tsx";
import { useCanvasUrl } from "./use-canvas-url.ts";
import { useWide } from "./use-wide.ts";

/** The canvas needs the window and browser storage, so it is rendered only in the browser, after a skeleton. */
const Canvas = dynamic(() => import("./canvas.tsx").then((module) => module.Canvas), {
  ssr: false,
  loading: () => <CanvasSkeleton />,
});

/** The start page: endpoints, triggers and targets with their traffic. */
export function CanvasPage() {
  const trpc = useTRPC();
  const graph = useQuery(trpc.canvas.graph.queryOptions());
  return (
    <div className="relative min-h-(--page-height) md:h-(--page-height)">
      <h1 className="sr-only">Triggers</h1>
      <Face graph={graph.data} error={graph.error} retry={() => void graph.refetch()} />
    </div>
  );
}

function Face({ graph, error, retry }: { graph: Graph | undefined; error: unknown; retry: () => void }) {
  if (graph && graph.triggers.length + graph.targets.length > 0) return <Project graph={graph} />;
  if (graph) return <FirstTrigger />;
  if (!error) return <CanvasSkeleton />;
  return (
    <div className="mx-auto max-w-[560px] p-4 md:pt-16">
      <ErrorNote error={error} what="The triggers could not be loaded" retry={retry} />
    </div>
  );
}

function Project({ graph }: { graph: Graph }) {
  const model = useMemo(() => buildModel(graph), [graph]);
  const { url, filter, open } = useCanvasUrl();
  const isWide = useWide();
  const [store] = useState(createEvidenceStore);
  const chunks = useMemo(() => chunksOf(model), [model]);
  const [seen, setSeen] = useState<readonly string[]>([]);
  // A status filter needs the activity of the whole project.
  const wanted = useMemo(
    () =>
      url.status === "all" && chunks.length > 1
        ? chunksFor(model, seen).flatMap((index) => chunks[index] ?? [])
        : chunks,
    [url.status, model, chunks, seen],
  );
  const node = url.node === null ? null : parseNodeId(url.node);
  const shared = { model, store, url, filter, open, onSeen: setSeen };
  return (
    <div className="flex h-full">
      <div className="relative min-w-0 flex-1">
        {isWide === null && <CanvasSkeleton />}
        {isWide === true && <Canvas project={graph.name} {...shared} />}
        {isWide === false && <TriggerList {...shared} />}
        <ActivityFeed chunks={wanted} window={url.window} store={store} />
      </div>
      {node && <NodeSheet node={node} window={url.window} onClose={() => open(null)} />}
    </div>
  );
}
