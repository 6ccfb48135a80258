"use client";

import { type QueryKey, hashKey, keepPreviousData, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import type { Page } from "../../server/contract/page.ts";
import { addPage, type ListState, putRows, takeApart, takeFirst } from "./list-state.ts";

/** Rows of a page, unless the list says otherwise. */
const livePageRows = 50;

/** Between two pages, where pages are short: looking far back must not keep the service busy. */
const followPauseMs = 250;

/** After so many pages without a row the reader is asked whether to look on. */
const maxEmptyPages = 12;

const keptMs = 15 * 60_000;

/** So many rows are read again at once. */
const maxReread = 100;

const noKeys: readonly string[] = [];

interface Options<Row> {
  /** Of the first page; take the one of the tRPC query, so that a page read on the server is taken over. */
  queryKey: QueryKey;
  fetch: (cursor: string | null, limit: number) => Promise<Page<Row>>;
  rowKey: (row: Row) => string;
  enabled?: boolean;
  /** The limit that `fetch` asks for. */
  pageRows?: number;
  /**
   * For rows that change after they came: those in sight below the first page are read again, too, as long as they can
   * change.
   */
  rereading?: { canChange: (row: Row) => boolean; fetch: (keys: string[]) => Promise<readonly Row[]> };
}

export interface LivePages<Row> {
  rows: readonly Row[];
  hasMore: boolean;
  /** Nothing can be shown yet. */
  isLoading: boolean;
  isLoadingMore: boolean;
  /** Many pages brought nothing, and it stopped looking further back; `loadMore` goes on. */
  isPaused: boolean;
  /** The rows are those of the filter before, until the new ones are here. */
  isStale: boolean;
  error: unknown;
  loadMore: () => void;
  /** The same, by the name that the table has for it. */
  onNeedMore: () => void;
  /** More new rows than can be put on top without a gap; `showNew` begins the list anew with them. */
  newRows: number;
  showNew: () => void;
  retry: () => void;
  /** Hears which rows are in sight. */
  onSight: (keys: readonly string[]) => void;
}

/**
 * A list by pages whose first page is live: `Live` has it read again, new rows come on top, pages below stay. Coming
 * back to the list within some minutes finds it as deep as it was left.
 */
export function useLivePages<Row>({
  queryKey,
  fetch,
  rowKey,
  enabled = true,
  pageRows = livePageRows,
  rereading,
}: Options<Row>): LivePages<Row> {
  const queryClient = useQueryClient();
  const storeKey = ["live-pages", ...queryKey];
  const first = useQuery({ queryKey, queryFn: () => fetch(null, pageRows), enabled });
  const store = useQuery<ListState<Row>>({
    queryKey: storeKey,
    queryFn: skipToken,
    staleTime: Infinity,
    gcTime: keptMs,
    structuralSharing: false,
    placeholderData: keepPreviousData,
    meta: { live: false },
  });
  const kept = store.isPlaceholderData ? undefined : store.data;
  const list = first.data
    ? takeFirst({ list: kept, page: first.data, at: first.dataUpdatedAt, rowKey, pageRows })
    : kept;
  const hash = hashKey(storeKey);
  useEffect(() => {
    if (list && list !== kept && list.firstAt !== kept?.firstAt) queryClient.setQueryData(storeKey, list);
  });

  const [inSight, setInSight] = useState<readonly string[]>(noKeys);
  const due =
    rereading && list
      ? keysToReread({ list, first: first.data?.data ?? [], inSight, rowKey, canChange: rereading.canChange })
      : noKeys;
  const reread = useQuery({
    queryKey: ["live-rows", ...queryKey, due],
    queryFn: rereading && due.length > 0 ? () => rereading.fetch([...due]) : skipToken,
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

  const [older, setOlder] = useState<{ hash: string; isLoading: boolean; error: unknown }>({
    hash,
    isLoading: false,
    error: null,
  });
  const now = older.hash === hash ? older : { hash, isLoading: false, error: null };
  const loadMore = async () => {
    if (!list || list.cursor === null || now.isLoading) return;
    const cursor = list.cursor;
    setOlder({ hash, isLoading: true, error: null });
    try {
      const page = await fetch(cursor, pageRows);
      queryClient.setQueryData<ListState<Row>>(storeKey, (state) =>
        state?.cursor === cursor ? addPage({ list: state, page, rowKey }) : state,
      );
      if (page.data.length < pageRows) await pause(followPauseMs);
      setOlder((state) => (state.hash === hash ? { hash, isLoading: false, error: null } : state));
    } catch (error) {
      setOlder((state) => (state.hash === hash ? { hash, isLoading: false, error } : state));
    }
  };

  // Rows of the filter before stand in while the new ones are read, not in place of an error.
  const shown = list ?? (first.isError ? undefined : store.data);
  return {
    rows: shown?.rows ?? [],
    hasMore: list !== undefined && list.cursor !== null,
    isLoading: shown === undefined && !first.isError && enabled,
    isLoadingMore: now.isLoading,
    isPaused: list !== undefined && list.emptyPages >= maxEmptyPages && list.emptyPages % maxEmptyPages === 0,
    isStale: list === undefined && shown !== undefined,
    error: first.error ?? now.error,
    loadMore: () => void loadMore(),
    onNeedMore: () => void loadMore(),
    newRows: list?.apart?.data.length ?? 0,
    showNew: () => queryClient.setQueryData<ListState<Row>>(storeKey, (state) => state && takeApart(state)),
    retry: () => (first.error ? void first.refetch() : void loadMore()),
    onSight: (keys) => rereading && setInSight(keys),
  };
}

/** Rows in sight that can change, and that no reading of the first page brings up to date. */
function keysToReread<Row>(p: {
  list: ListState<Row>;
  first: readonly Row[];
  inSight: readonly string[];
  rowKey: (row: Row) => string;
  canChange: (row: Row) => boolean;
}): readonly string[] {
  const isLive = new Set(p.first.map(p.rowKey));
  const isInSight = new Set(p.inSight);
  const keys = p.list.rows.filter((row) => isInSight.has(p.rowKey(row)) && p.canChange(row)).map(p.rowKey);
  return keys.filter((key) => !isLive.has(key)).slice(0, maxReread);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
