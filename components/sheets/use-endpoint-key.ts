"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../trpc/trpc.ts";

export interface EndpointKey {
  /** A key of the endpoint; `null` until requested. */
  key: string | null;
  /** The URL with the key. */
  url: string | null;
  isLoading: boolean;
  error: unknown;
  isShown: boolean;
  show: () => void;
  hide: () => void;
  /** The URL with its key, without showing it. Rejects with the same error as `error`. */
  fetchUrl: () => Promise<string>;
}

/** The key of an endpoint. Fetched on demand and dropped when the sheet closes. `trigger`: any trigger on the endpoint. */
export function useEndpointKey(trigger: string): EndpointKey {
  const trpc = useTRPC();
  const [isShown, setIsShown] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const query = useQuery({
    ...trpc.triggers.url.queryOptions({ for: trigger }),
    enabled: isShown,
    gcTime: 0,
    retry: false,
    meta: { live: false },
  });
  const fetchUrl = async (): Promise<string> => {
    const { data, error } = await query.refetch();
    setHasFailed(error !== null);
    if (data) return data.url;
    throw error;
  };
  const url = isShown ? (query.data?.url ?? null) : null;
  return {
    key: url === null ? null : new URL(url).searchParams.get("token"),
    url,
    isLoading: isShown && query.isLoading,
    error: isShown || hasFailed ? query.error : null,
    isShown: url !== null,
    show: () => (isShown ? void query.refetch() : setIsShown(true)),
    hide: () => setIsShown(false),
    fetchUrl,
  };
}
