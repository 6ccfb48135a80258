import type { Query, QueryClient } from "@tanstack/react-query";

export interface Refresh {
  /** What is shown is out of date; what another build alone changes, only if there is one. */
  changed(isOtherBuild: boolean): void;
  /** Reads again what is out of date and not being read just now. Says whether something is left for the next time. */
  run(): boolean;
}

/**
 * Reads the queries of a page again; those with `meta.live === false` are left alone, and those with `"build"` while
 * the build is the same. A query that has no answer yet, or has failed, is read again in any case: after a restart of
 * the service the page would wait for it forever. No query is ever read twice at the same time. `isMine`: which queries
 * it handles. Default: all.
 */
export function createRefresh(queries: QueryClient, isMine: (query: Query) => boolean = () => true): Refresh {
  const owed = new Set<string>();
  return {
    changed(isOtherBuild) {
      const mayHaveChanged = (query: Query) => {
        const { live } = query.meta ?? {};
        return (
          isMine(query) && (query.state.status !== "success" || (live !== false && (isOtherBuild || live !== "build")))
        );
      };
      for (const query of queries.getQueryCache().findAll({ predicate: mayHaveChanged })) owed.add(query.queryHash);
    },
    run() {
      // A read that is under way may have begun before the change: it is done again after it.
      const isDue = (query: Query) => owed.has(query.queryHash) && query.state.fetchStatus === "idle";
      const due = queries.getQueryCache().findAll({ predicate: isDue });
      for (const query of due) owed.delete(query.queryHash);
      const now = new Set(due.map((query) => query.queryHash));
      void queries.invalidateQueries({ predicate: (query) => now.has(query.queryHash) }, { cancelRefetch: false });
      for (const hash of owed) if (!queries.getQueryCache().get(hash)) owed.delete(hash);
      return owed.size > 0;
    },
  };
}
