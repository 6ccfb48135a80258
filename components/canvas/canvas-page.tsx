"use client";

import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useEffect, useLayoutEffect, useMemo, useState } from "react";
import { NodeSheet } from "../sheets/node-sheet.tsx";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/states.tsx";
import { useIsWide } from "../ui/browser.ts";
import { CanvasSkeleton, FirstTrigger } from "./canvas-states.tsx";
import { createCanvasStore } from "./canvas-store.ts";
import { buildModel, type Graph, parseNodeId } from "../graph/canvas-model.ts";
import { onShowNode } from "./show-node.ts";
import { TriggerList } from "./trigger-list.tsx";
import { useCanvasUrl } from "./toolbar/use-canvas-url.ts";
import { CanvasProvider, useCanvas, useCanvasStore } from "./use-canvas.ts";

/** The canvas needs the window and browser storage, so it is rendered only in the browser, after a skeleton. */
const Canvas = dynamic(() => import("./canvas.tsx").then((module) => module.Canvas), {
  ssr: false,
  loading: () => <CanvasSkeleton />,
});

/** The start page: sources, triggers and targets with their traffic. */
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
  const [store] = useState(() => createCanvasStore(graph.name, { model, url, open }));
  useLayoutEffect(() => store.read({ model, url, open }), [store, model, url, open]);
  useEffect(() => onShowNode(store.view.show), [store]);
  const node = url.node === null ? null : parseNodeId(url.node);
  return (
    <CanvasProvider value={store}>
      <div className="flex h-full">
        <div className="relative min-w-0 flex-1">
          {isWide === null && <CanvasSkeleton />}
          {isWide === true && <Canvas filter={filter} />}
          {isWide === false && <TriggerList filter={filter} />}
          <ActivityFeed />
        </div>
        {node && <NodeSheet node={node} window={url.window} onClose={() => open(null)} />}
      </div>
    </CanvasProvider>
  );
}

/** Loads the traffic of visible nodes into the store. Renders only errors, so that the canvas does not render again. */
function ActivityFeed() {
  const trpc = useTRPC();
  const { feed } = useCanvasStore();
  const chunks = useCanvas((state) => state.chunks);
  const window = useCanvas((state) => state.url.window);
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
    for (const activity of answers.activities) feed(activity);
  }, [answers, feed]);
  if (!answers.failed) return null;
  const { error, refetch } = answers.failed;
  return (
    <div className="absolute top-16 left-4 z-10 max-w-96 shadow-raised">
      <ErrorNote error={error} title="The traffic could not be loaded" retry={() => void refetch()} />
    </div>
  );
}
