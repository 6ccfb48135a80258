import { QueryClient } from "@tanstack/react-query";

/** The same settings on both sides, so that what the server fetched is taken over and not fetched again. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The server draws the page without what it could not read at once; the browser tries again.
      queries: { staleTime: 10_000, retry: typeof window === "undefined" ? false : 1 },
    },
  });
}
