"use client";

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTRPC } from "../trpc/trpc.ts";

export interface EndpointKey {
  /** `null` until it is asked for; then the key that opens the endpoint. */
  key: string | null;
  /** With the key in it. */
  url: string | null;
  isLoading: boolean;
  error: unknown;
  isShown: boolean;
  show: () => void;
  hide: () => void;
  /** The URL with its key, without showing it. Fails as `error` says. */
  fetchUrl: () => Promise<string>;
}

/**
 * The key of an endpoint, fetched only when somebody asks to see it, and forgotten with the sheet. `trigger`: one that
 * listens on it.
 */
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
