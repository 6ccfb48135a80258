"use client";

import { type QueryKey, hashKey, keepPreviousData, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { Page } from "../../server/contract/list.ts";
import {
  addPage,
  type FirstPage,
  joinNewer,
  type ListState,
  newerThanOf,
  pageRows,
  putRows,
  takeApart,
  takeFirst,
} from "./list-state.ts";

/** Not while the server renders: a timer would keep the data of each rendered page for as long. */
const cacheMs = typeof window === "undefined" ? Infinity : 15 * 60_000;

/** The maximum number of rows that are refetched together. */
const maxRefetched = 100;

const noKeys: readonly string[] = [];

/** The state of the requests for older pages. */
interface Older {
  /** The query key of the list, hashed. */
  hash: string;
  isLoading: boolean;
  isStopped: boolean;
  error: unknown;
}

const idle = { isLoading: false, isStopped: false, error: null };

interface Options<Row> {
  /** The key of the first page. Use the key of the tRPC query, so that a prefetched page is used. */
  queryKey: QueryKey;
  fetch: (page: { cursor: string | null; newerThan: string | null }, signal?: AbortSignal) => Promise<Page<Row>>;
  rowKey: (row: Row) => string;
  enabled?: boolean;
  /** Rows begin to match only when they are created, and are in the order of their creation: only new ones are read. */
  grows?: boolean;
  /**
   * For rows that change later: visible rows that are not read anyway are refetched, as long as they can change.
   * Without `fetch`, the whole first page is read while one of its rows can change.
   */
  rereading?: { canChange: (row: Row) => boolean; fetch?: (keys: string[]) => Promise<readonly Row[]> };
}

export interface LivePages<Row> {
  rows: readonly Row[];
  hasMore: boolean;
  /** There are no rows to show yet. */
  isLoading: boolean;
  isLoadingMore: boolean;
  /** No index has the filter, so the list searches older rows: back to this time (ISO 8601) so far. */
  searchedTo: string | null;
  /** The reader stopped the search; `onNeedMore` continues it. */
  isStopped: boolean;
  stop: () => void;
  /** The rows are those of the previous filter, until the new ones are loaded. */
  isStale: boolean;
  error: unknown;
  onNeedMore: () => void;
  /** New rows with a gap to the list; `showNew` resets the list to them. */
  newRows: number;
  showNew: () => void;
  retry: () => void;
  /** Called with the keys of the visible rows. */
  onSight: (keys: readonly string[]) => void;
}

/**
 * A paged list with a live first page: `Live` refetches it, and new rows are added on top. The loaded pages are cached
 * for 15 minutes after the reader leaves.
 */
export function useLivePages<Row>({
  queryKey,
  fetch,
  rowKey,
  enabled = true,
  grows = false,
  rereading,
}: Options<Row>): LivePages<Row> {
  const queryClient = useQueryClient();
  const storeKey = ["live-pages", ...queryKey];
  const readFirst = async (): Promise<FirstPage<Row>> => {
    const { data: known, dataUpdatedAt: readAt = 0 } = queryClient.getQueryState<FirstPage<Row>>(queryKey) ?? {};
    const canGrow = grows && (rereading?.fetch || !rereading || !known?.data.some(rereading.canChange));
    const newerThan = canGrow ? newerThanOf(known, { readAt, now: Date.now() }) : null;
    const page = await fetch({ cursor: null, newerThan });
    return known && newerThan !== null ? joinNewer({ first: known, readAt, newer: page, rowKey }) : page;
  };
  const first = useQuery({ queryKey, queryFn: readFirst, enabled });
  const store = useQuery<ListState<Row>>({
    queryKey: storeKey,
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: cacheMs,
    structuralSharing: false,
    placeholderData: keepPreviousData,
    meta: { live: false },
  });
  const cached = store.isPlaceholderData ? undefined : store.data;
  const list = first.data
    ? takeFirst({ list: cached, page: first.data, at: first.dataUpdatedAt, rowKey, pageRows })
    : cached;
  const hash = hashKey(storeKey);
  useEffect(() => {
    if (!list || list === cached || list.firstAt === cached?.firstAt) return;
    // `showNew`, which a child calls in its effect, has stored a newer state of the same time.
    queryClient.setQueryData<ListState<Row>>(storeKey, (state) =>
      state && state.firstAt >= list.firstAt ? state : list,
    );
  });

  const [inSight, setInSight] = useState<readonly string[]>(noKeys);
  const refetch = rereading?.fetch;
  // Visible rows that can change, and are not among those that are read anyway.
  const readAnyway = new Set((grows ? [] : (first.data?.data ?? [])).map(rowKey));
  const awaited = new Set(inSight.filter((key) => !readAnyway.has(key)));
  const due = refetch && list ? list.rows.filter((row) => awaited.has(rowKey(row)) && rereading.canChange(row)) : [];
  const dueKeys = due.map(rowKey).slice(0, maxRefetched);
  const reread = useQuery({
    queryKey: ["live-rows", ...queryKey, dueKeys],
    queryFn: refetch && dueKeys.length > 0 ? () => refetch(dueKeys) : skipToken,
    staleTime: 0,
    gcTime: 0,
  });
  const fresh = reread.data;
  const put = useEffectEvent((rows: readonly Row[]) =>
    queryClient.setQueryData<ListState<Row>>(
      storeKey,
      (state) => state && putRows({ list: state, fresh: rows, rowKey }),
    ),
  );
  useEffect(() => {
    if (fresh) put(fresh);
  }, [fresh]);

  const [older, setOlder] = useState<Older>({ ...idle, hash });
  const now = older.hash === hash ? older : { ...idle, hash };
  const request = useRef<{ hash: string; controller: AbortController } | null>(null);
  useEffect(() => {
    if (request.current?.hash !== hash) request.current?.controller.abort();
  }, [hash]);
  useEffect(() => () => request.current?.controller.abort(), []);
  const loadMore = async () => {
    if (!list || list.cursor === null || now.isLoading) return;
    const cursor = list.cursor;
    const controller = new AbortController();
    const { signal } = controller;
    request.current?.controller.abort();
    request.current = { hash, controller };
    const end = (state: Partial<Older>) => {
      if (request.current?.controller !== controller) return;
      setOlder((known) => (known.hash === hash && known.isLoading ? { ...idle, hash, ...state } : known));
    };
    setOlder({ ...idle, hash, isLoading: true });
    try {
      const page = await fetch({ cursor, newerThan: null }, signal);
      queryClient.setQueryData<ListState<Row>>(storeKey, (state) =>
        state?.cursor === cursor ? addPage({ list: state, page, rowKey }) : state,
      );
      end({});
    } catch (error) {
      end(signal.aborted ? {} : { error });
    }
  };
  const stop = () => {
    request.current?.controller.abort();
    setOlder({ ...idle, hash, isStopped: true });
  };

  // Rows of the previous filter are shown while the new ones load, but not instead of an error.
  const shown = list ?? (first.isError ? undefined : store.data);
  return {
    rows: shown?.rows ?? [],
    hasMore: list !== undefined && list.cursor !== null,
    isLoading: shown === undefined && !first.isError && enabled,
    isLoadingMore: now.isLoading,
    searchedTo: list?.searchedTo ?? null,
    isStopped: now.isStopped,
    stop,
    isStale: list === undefined && shown !== undefined,
    error: first.error ?? now.error,
    onNeedMore: () => void loadMore(),
    newRows: list?.apart?.data.length ?? 0,
    // Of the state that is shown, which may not be stored yet.
    showNew: () => list && queryClient.setQueryData<ListState<Row>>(storeKey, takeApart(list)),
    retry: () => (first.error ? void first.refetch() : void loadMore()),
    onSight: (keys) => rereading && setInSight(keys),
  };
}
