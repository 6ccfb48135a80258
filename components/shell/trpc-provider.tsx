"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink } from "@trpc/client";
import { type ReactNode, useState } from "react";
import type { AppRouter } from "../../server/trpc/router.ts";
import { Live } from "../live/live.tsx";
import { RenderedAt } from "../ui/time.tsx";
import { createQueryClient } from "../trpc/query-client.ts";
import { maxBatchCalls } from "../../server/contract/batch.ts";
import { TRPCProvider } from "../trpc/trpc.ts";

const url = "/api/trpc";

/** The context of client components: queries, the typed client, live changes, and the time of the render. */
export function TrpcProvider({
  renderedAt,
  version,
  children,
}: {
  renderedAt: number;
  version: string | null;
  children: ReactNode;
}) {
  const [queryClient] = useState(createQueryClient);
  const [trpcClient] = useState(() =>
    createTRPCClient<AppRouter>({
      links: [httpBatchLink({ url, methodOverride: "POST", maxItems: maxBatchCalls })],
    }),
  );
  return (
    <RenderedAt value={renderedAt}>
      <QueryClientProvider client={queryClient}>
        <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
          <Live version={version}>{children}</Live>
        </TRPCProvider>
      </QueryClientProvider>
    </RenderedAt>
  );
}
