import { QueryClient } from "@tanstack/react-query";

/** The same settings on both sides, so that what the server fetched is taken over and not fetched again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: { staleTime: 10_000, retry: 1, refetchOnWindowFocus: true },
    },
  });
}
