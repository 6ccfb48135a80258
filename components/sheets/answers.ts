import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../server/trpc/router.ts";

type Outputs = inferRouterOutputs<AppRouter>;

export type Graph = Outputs["canvas"]["graph"];
export type GraphTrigger = Graph["triggers"][number];
export type Activity = Outputs["canvas"]["activity"];
export type TriggerDetails = Outputs["triggers"]["get"];
export type TargetDetails = Outputs["targets"]["get"];
