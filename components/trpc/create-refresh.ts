import type { Query, QueryClient } from "@tanstack/react-query";

export interface Refresh {
  /** Marks the queries as out of date; queries with `live: "build"` only if the build changed. */
  changed(isOtherBuild: boolean): void;
  /** Refetches outdated queries that are not being fetched now. Returns whether some are left. */
  run(): boolean;
}

/**
 * Refetches the queries of a page, except those with `meta.live === false`, and those with `"build"` while the build is
 * the same. A query without a result, or with an error, is always refetched: after a restart of the server, the page
 * would wait for it permanently. No query is fetched twice at the same time. `isMine`: the queries it handles. Default:
 * all.
 */
export function createRefresh(queries: QueryClient, isMine: (query: Query) => boolean = () => true): Refresh {
  const outdated = new Set<string>();
  return {
    changed(isOtherBuild) {
      const mayHaveChanged = (query: Query) => {
        const { live } = query.meta ?? {};
        return (
          isMine(query) && (query.state.status !== "success" || (live !== false && (isOtherBuild || live !== "build")))
        );
      };
      for (const query of queries.getQueryCache().findAll({ predicate: mayHaveChanged })) outdated.add(query.queryHash);
    },
    run() {
      // A fetch in progress may have started before the change, so the query is fetched again afterwards.
      const isDue = (query: Query) => outdated.has(query.queryHash) && query.state.fetchStatus === "idle";
      const due = queries.getQueryCache().findAll({ predicate: isDue });
      for (const query of due) outdated.delete(query.queryHash);
      const now = new Set(due.map((query) => query.queryHash));
      void queries.invalidateQueries({ predicate: (query) => now.has(query.queryHash) }, { cancelRefetch: false });
      for (const hash of outdated) if (!queries.getQueryCache().get(hash)) outdated.delete(hash);
      return outdated.size > 0;
    },
  };
}
