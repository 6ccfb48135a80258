import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { callsOnFailure, runTitle, shownReplays } from "../../../components/runs/run-text.ts";
import { RunView } from "../../../components/runs/detail/run-view.tsx";
import { PageFrame } from "../../../components/shell/page-frame.tsx";
import { createReader, requireAccess, orNotFound } from "../../server.ts";

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const { queryClient, trpc } = await createReader();
  const run = await queryClient.fetchQuery(trpc.runs.get.queryOptions({ id })).catch(() => null);
  return { title: run ? runTitle(run) : id };
}

export default async function RunPage({ params }: Props) {
  const { id } = await params;
  await requireAccess();
  const { queryClient, trpc } = await createReader();
  await orNotFound(queryClient.fetchQuery(trpc.runs.get.queryOptions({ id })));
  const run = queryClient.getQueryData(trpc.runs.get.queryKey({ id }));
  await Promise.all([
    queryClient.prefetchQuery(trpc.runs.timeline.queryOptions({ id })),
    queryClient.prefetchQuery(trpc.runs.children.queryOptions({ id })),
    queryClient.prefetchQuery(trpc.runs.list.queryOptions({ replayOf: id, limit: shownReplays + 1 })),
    ...(run && callsOnFailure(run)
      ? [queryClient.prefetchQuery(trpc.runs.list.queryOptions({ failureOf: id, limit: shownReplays + 1 }))]
      : []),
    ...(run?.target.kind === "agent"
      ? [
          queryClient.prefetchQuery(trpc.runs.conversation.queryOptions({ id })),
          queryClient.prefetchQuery(trpc.targets.get.queryOptions(run.target)),
        ]
      : []),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame>
        <RunView id={id} />
      </PageFrame>
    </HydrationBoundary>
  );
}
