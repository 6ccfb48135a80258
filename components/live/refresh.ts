import type { Query, QueryClient } from "@tanstack/react-query";
import type { Topic } from "../../server/contract/live.ts";
import { topicsOf } from "./topics.ts";

export interface Refresh {
  /** Marks the queries of these topics as out of date. */
  changed(topics: readonly Topic[]): void;
  /**
   * Calls back whenever server-rendered data enters the cache, and marks its query as stale. A change between the
   * render and now was reported while the query did not exist. Returns the function that ends it. Builds
   * and single runs are not refetched: the topics name them if they have changed.
   */
  onRendered(callback: () => void): () => void;
  /** Refetches outdated queries that are not being fetched now. Returns whether some are left. */
  run(): boolean;
}

/**
 * Refetches the queries of a page by the topics of their data, except those with `meta.live === false`. A query without
 * a result, or with an error, is refetched by every change: after a restart of the server, the page would wait for it
 * permanently. No query is fetched twice at the same time. `isMine`: the queries it handles. Default: all.
 */
export function createRefresh(queries: QueryClient, isMine: (query: Query) => boolean = () => true): Refresh {
  const outdated = new Set<string>();
  const mayHaveChanged = (query: Query, has: (topic: Topic) => boolean) =>
    isMine(query) &&
    (query.state.status !== "success" || (query.meta?.["live"] !== false && topicsOf(query.queryKey).some(has)));
  return {
    changed(topics) {
      const isAll = topics.includes("all");
      const has = (topic: Topic) => topics.includes(topic) || (isAll && !topic.startsWith("run:"));
      const changed = queries.getQueryCache().findAll({ predicate: (query) => mayHaveChanged(query, has) });
      for (const query of changed) outdated.add(query.queryHash);
    },
    onRendered(callback) {
      return queries.getQueryCache().subscribe((event) => {
        const isRendered =
          (event.type === "added" && event.query.state.data !== undefined) ||
          (event.type === "updated" && event.action.type === "setState");
        if (!isRendered || !mayHaveChanged(event.query, isOfMany)) return;
        outdated.add(event.query.queryHash);
        // The cache is filled while the page renders: no fetch may start before that is over.
        setTimeout(callback);
      });
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

const isOfMany = (topic: Topic) => topic !== "build" && !topic.startsWith("run:");

interface Pace {
  /** Requests the action: now, or as soon as it is due. */
  poke(): void;
  /** Pauses the action; a request in the meantime runs on release. */
  hold(isHeld: boolean): void;
  stop(): void;
}

interface PaceOptions {
  /** Returns whether it must run again when it is due. */
  action: () => boolean;
  everyMs: number;
  now?: () => number;
}

/** Runs the action at once on the first poke, then at most once in `everyMs`. The last poke is never lost. */
export function createPace({ action, everyMs, now = Date.now }: PaceOptions): Pace {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastAt = Number.NEGATIVE_INFINITY;
  let isWanted = false;
  let isHeld = false;

  const plan = () => {
    if (!isWanted || isHeld || timer !== undefined) return;
    const waitMs = lastAt + everyMs - now();
    if (waitMs <= 0) act();
    else timer = setTimeout(act, waitMs);
  };
  const act = () => {
    timer = undefined;
    if (isHeld) return;
    lastAt = now();
    isWanted = action();
    plan();
  };
  return {
    poke() {
      isWanted = true;
      plan();
    },
    hold(hold) {
      isHeld = hold;
      plan();
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
      isWanted = false;
    },
  };
}
