import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../server/trpc/router.ts";

/** A trigger as the API lists it. */
export type Trigger = inferRouterOutputs<AppRouter>["triggers"]["list"][number];
