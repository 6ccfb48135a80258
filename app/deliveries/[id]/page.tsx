import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { DeliveryView } from "../../../components/deliveries/detail/delivery-view.tsx";
import { deliveryTitle, redeliveriesShown } from "../../../components/deliveries/delivery-parts.tsx";
import { PageFrame } from "../../../components/shell/page-frame.tsx";
import { createReader, requireAccess, orNotFound } from "../../server.ts";

interface Props {
  params: Promise<{ id: string }>;
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { id } = await params;
  const { queryClient, trpc } = await createReader();
  const delivery = await queryClient.fetchQuery(trpc.deliveries.get.queryOptions({ id })).catch(() => null);
  return { title: delivery ? deliveryTitle(delivery) : id };
}

export default async function DeliveryPage({ params }: Props) {
  const { id } = await params;
  await requireAccess();
  const { queryClient, trpc } = await createReader();
  await orNotFound(queryClient.fetchQuery(trpc.deliveries.get.queryOptions({ id })));
  const endpoint = queryClient.getQueryData(trpc.deliveries.get.queryKey({ id }))?.endpoint;
  await Promise.all([
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions({ redeliveryOf: id, limit: redeliveriesShown })),
    // The actions depend on the triggers.
    ...(endpoint === undefined ? [] : [queryClient.prefetchQuery(trpc.triggers.list.queryOptions({ endpoint }))]),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame>
        <DeliveryView id={id} />
      </PageFrame>
    </HydrationBoundary>
  );
}
