import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import { CanvasPage } from "../components/canvas/canvas-page.tsx";
import { buildModel } from "../components/graph/canvas-model.ts";
import { chunksOf, readWindow } from "../components/canvas/live/activity-request.ts";
import { createReader, requireAccess } from "./server.ts";

export default async function StartPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const search = await searchParams;
  await requireAccess();
  return (
    <HydrationBoundary state={dehydrate(await prefetch(readWindow(search["window"])))}>
      <CanvasPage />
    </HydrationBoundary>
  );
}

/** Prefetches the graph and the traffic shown first. After a failure the browser loads them. */
async function prefetch(window: ReturnType<typeof readWindow>) {
  const { queryClient, trpc } = await createReader();
  const graph = await queryClient.fetchQuery(trpc.canvas.graph.queryOptions()).catch(() => null);
  const [first, ...others] = graph ? chunksOf(buildModel(graph)) : [];
  // With several chunks, only the browser knows which one is visible.
  if (first && others.length === 0)
    await queryClient.prefetchQuery(trpc.canvas.activity.queryOptions({ window, ...first }));
  return queryClient;
}
