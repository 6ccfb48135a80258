"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import type { Disabled } from "../../server/contract/disabled.ts";
import type { Target } from "../../server/contract/project/target.ts";
import type { Window } from "../../server/contract/traffic.ts";
import type { AppRouter } from "../../server/trpc/router.ts";
import type { Activity } from "../graph/canvas-model.ts";
import { useTRPC } from "../trpc/trpc.ts";

/** Activity of one endpoint or one target in the time window. Keeps the previous data while another window loads. */
export function useActivity({
  window,
  endpoint,
  target,
}: {
  window: Window;
  endpoint?: string;
  target?: Target;
}): Activity | undefined {
  const trpc = useTRPC();
  const query = useQuery({
    ...trpc.canvas.activity.queryOptions({
      window,
      endpoints: endpoint === undefined ? [] : [endpoint],
      targets: target ? [target] : [],
    }),
    placeholderData: keepPreviousData,
  });
  return query.data;
}

/** Whether a trigger is disabled, live. All triggers share one query. `undefined`: not loaded yet. */
export function useDisabled(slug: string): Disabled | null | undefined {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.triggers.disabled.queryOptions());
  return data && (Object.hasOwn(data, slug) ? (data[slug] ?? null) : null);
}

type Outputs = inferRouterOutputs<AppRouter>;

export type TriggerDetails = Outputs["triggers"]["get"];
export type TargetDetails = Outputs["targets"]["get"];
