"use client";

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useMemo, useState } from "react";
import { NodeSheet } from "../sheets/node-sheet.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/states.tsx";
import { useIsWide } from "../ui/browser.ts";
import { CanvasSkeleton, FirstTrigger } from "./canvas-states.tsx";
import { createEvidenceStore, type EvidenceStore } from "./live/evidence.ts";
import { buildModel, type Graph, parseNodeId } from "./model/canvas-model.ts";
import { type CanvasWindow, type Chunk, chunksFor, chunksOf } from "./live/activity-request.ts";
import { TriggerList } from "./trigger-list.tsx";
import { useCanvasUrl } from "./toolbar/use-canvas-filters.ts";

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
      <Content graph={graph.data} error={graph.error} retry={() => void graph.refetch()} />
    </div>
  );
}

function Content({ graph, error, retry }: { graph: Graph | undefined; error: unknown; retry: () => void }) {
  if (graph && graph.triggers.length + graph.targets.length > 0) return <Project graph={graph} />;
  if (graph) return <FirstTrigger />;
  if (!error) return <CanvasSkeleton />;
  return (
    <div className="mx-auto max-w-[560px] p-4 md:pt-16">
      <ErrorNote error={error} title="The triggers could not be loaded" retry={retry} />
    </div>
  );
}

function Project({ graph }: { graph: Graph }) {
  const model = useMemo(() => buildModel(graph), [graph]);
  const { url, filter, open } = useCanvasUrl();
  const isWide = useIsWide(null);
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

/** Loads the traffic of visible nodes into the store. Renders only errors, so that the canvas does not render again. */
function ActivityFeed({
  chunks,
  window,
  store,
}: {
  chunks: readonly Chunk[];
  window: CanvasWindow;
  store: EvidenceStore;
}) {
  const trpc = useTRPC();
  const answers = useQueries({
    queries: chunks.map(({ endpoints, targets }) => ({
      ...trpc.canvas.activity.queryOptions({ window, endpoints, targets }),
      placeholderData: keepPreviousData,
    })),
    combine: (results) => ({
      activities: results.flatMap(({ data, isPlaceholderData }) => (data && !isPlaceholderData ? [data] : [])),
      failed: results.find(({ error }) => error !== null) ?? null,
    }),
  });
  useEffect(() => {
    for (const activity of answers.activities) store.feed(activity);
  }, [answers, store]);
  if (!answers.failed) return null;
  const { error, refetch } = answers.failed;
  return (
    <div className="absolute top-16 left-4 z-10 max-w-96 shadow-raised">
      <ErrorNote error={error} title="The traffic could not be loaded" retry={() => void refetch()} />
    </div>
  );
}
