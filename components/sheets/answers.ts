import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../server/trpc/router.ts";

type Answers = inferRouterOutputs<AppRouter>;

export type Graph = Answers["canvas"]["graph"];
export type GraphTrigger = Graph["triggers"][number];
export type Activity = Answers["canvas"]["activity"];
export type TriggerDetails = Answers["triggers"]["get"];
export type TargetDetails = Answers["targets"]["get"];
