"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "../trpc/problem-of.ts";
import { useTRPC } from "../trpc/trpc.ts";
import { type EntryGroup, groupsOf, contentSearchesFor, pagesFor, searchTextOf } from "./entry.ts";
import { readRecent } from "./recent.ts";
import { useDebounced } from "./use-debounced.ts";

const debounceMs = 120;

interface SearchState {
  groups: EntryGroup[];
  /** The text that the groups belong to. */
  settledText: string;
  /** The groups do not match the typed text yet. */
  isPending: boolean;
  error: string | null;
}

/** Search results, best first. For an empty text: recently opened entries and pages. */
export function useSearch(typed: string): SearchState {
  const trpc = useTRPC();
  const [recent] = useState(readRecent);
  const text = searchTextOf(typed);
  const requestedText = useDebounced(text, debounceMs);
  const found = useQuery(
    trpc.search.queryOptions(
      { text: requestedText },
      { enabled: requestedText !== "", placeholderData: keepPreviousData, staleTime: 5_000, meta: { live: false } },
    ),
  );
  if (text === "")
    return {
      groups: withoutEmpty([
        { name: "Recent", entries: recent },
        { name: "Go to", entries: pagesFor("") },
      ]),
      settledText: "",
      isPending: false,
      error: null,
    };
  const isPending = requestedText !== text || found.isFetching;
  const groups = withoutEmpty([
    ...(found.data ? groupsOf(found.data) : []),
    { name: "Go to", entries: pagesFor(requestedText) },
    { name: "Search in bodies and inputs", entries: contentSearchesFor(requestedText) },
  ]);
  return {
    groups,
    settledText: found.isPlaceholderData ? "" : requestedText,
    isPending,
    error: found.error ? problemOf(found.error).title : null,
  };
}

function withoutEmpty(groups: EntryGroup[]): EntryGroup[] {
  return groups.filter((group) => group.entries.length > 0);
}
