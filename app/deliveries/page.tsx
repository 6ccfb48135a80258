import { HydrationBoundary, dehydrate } from "@tanstack/react-query";
import type { Metadata } from "next";
import { createLoader, type SearchParams } from "nuqs/server";
import {
  deliveryFilterParsers,
  histogramInput,
  listInput,
  windowParser,
} from "../../components/deliveries/list/delivery-filters.ts";
import { DeliveriesPage } from "../../components/deliveries/list/deliveries-page.tsx";
import { PageFrame } from "../../components/shell/page-frame.tsx";
import { createReader, requireAccess, requestTime } from "../server.ts";

export const metadata: Metadata = { title: "Deliveries" };

const load = createLoader({ ...deliveryFilterParsers, window: windowParser });

export default async function Deliveries({ searchParams }: { searchParams: Promise<SearchParams> }) {
  await requireAccess();
  const { window, ...filters } = await load(searchParams);
  const { queryClient, trpc } = await createReader();
  const now = Math.floor(requestTime() / 60_000) * 60_000;
  await Promise.all([
    queryClient.prefetchQuery(trpc.deliveries.list.queryOptions(listInput(filters, { window, now }))),
    queryClient.prefetchQuery(trpc.deliveries.histogram.queryOptions(histogramInput(filters, { window, now }))),
  ]);
  return (
    <HydrationBoundary state={dehydrate(queryClient)}>
      <PageFrame isWide>
        <DeliveriesPage />
      </PageFrame>
    </HydrationBoundary>
  );
}
