import { useQuery } from "@tanstack/react-query";
import type { Disabled } from "../../server/contract/disabled.ts";
import { useTRPC } from "../trpc/trpc.ts";

/** Whether a trigger is switched off, live. All triggers share one query. `undefined`: not loaded yet. */
export function useDisabled(slug: string): Disabled | null | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.triggers.disabled.queryOptions());
  return data && (Object.hasOwn(data, slug) ? (data[slug] ?? null) : null);
}
