"use client";

import { QueryClientProvider } from "@tanstack/react-query";
import { createTRPCClient, httpBatchLink, httpSubscriptionLink, splitLink } from "@trpc/client";
import { type ReactNode, useState } from "react";
import type { AppRouter } from "../../server/trpc/router.ts";
import { RenderedAt } from "../ui/time.tsx";
import { Live } from "./live.tsx";
import { createQueryClient } from "./query-client.ts";
import { TRPCProvider } from "./trpc.ts";

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
      links: [
        splitLink({
          condition: (operation) => operation.type === "subscription",
          true: httpSubscriptionLink({ url }),
          false: httpBatchLink({ url, methodOverride: "POST" }),
        }),
      ],
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
