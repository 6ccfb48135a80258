import { QueryClient } from "@tanstack/react-query";

/** What these tell changes with another build of the project, and with nothing else: `live: "build"`. */
const ofBuild = [
  ["canvas", "graph"],
  ["triggers", "names"],
  ["triggers", "list"],
  ["triggers", "get"],
  ["targets", "get"],
];

/** The same settings on both sides, so that what the server fetched is taken over and not fetched again. */
export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    defaultOptions: {
      // The server draws the page without what it could not read at once; the browser tries again.
      // A browser without a network may still reach a service on this machine: whether it answers shows when it is asked.
      queries: { staleTime: 10_000, retry: typeof window === "undefined" ? false : 1, networkMode: "always" },
      mutations: { networkMode: "always" },
    },
  });
  for (const path of ofBuild) queries.setQueryDefaults([path], { staleTime: Infinity, meta: { live: "build" } });
  return queries;
}
