import { QueryClient } from "@tanstack/react-query";

/** These queries change only with a new build. */
const ofBuild = [
  ["canvas", "graph"],
  ["triggers", "names"],
  ["triggers", "list"],
  ["triggers", "get"],
  ["targets", "get"],
];

/** The same settings on the server and in the browser, so that prefetched data is not fetched again. */
export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      // The server renders without data that it could not read at once; the browser retries.
      // A browser without a network may still reach a server on this machine.
      queries: { staleTime: 10_000, retry: typeof window === "undefined" ? false : 1, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
  for (const path of ofBuild) queries.setQueryDefaults([path], { staleTime: Infinity });
  return queries;
}
