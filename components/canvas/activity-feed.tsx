"use client";

import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "../trpc/trpc.ts";
import { ErrorNote } from "../ui/error-note.tsx";
import type { EvidenceStore } from "./evidence-store.ts";
import type { Chunk } from "./model/chunks.ts";
import type { CanvasWindow } from "./model/windows.ts";

/** Loads the traffic of visible nodes into the store. Renders only errors, so that the canvas does not render again. */
export function ActivityFeed({
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
      <ErrorNote error={error} what="The traffic could not be loaded" retry={() => void refetch()} />
    </div>
  );
}
