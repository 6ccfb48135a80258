import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../../server/trpc/router.ts";

type Answers = inferRouterOutputs<AppRouter>["canvas"];

/** What the canvas is made of: every trigger and target of the build in force. */
export type Graph = Answers["graph"];
export type GraphTrigger = Graph["triggers"][number];
export type GraphTarget = Graph["targets"][number];
export type GraphAgent = NonNullable<GraphTarget["agent"]>;

/** What happened on some of it within a window of time. */
export type Activity = Answers["activity"];
export type EndpointActivity = Activity["endpoints"][number];
export type VerdictCounts = Omit<Activity["triggers"][number], "attachmentId">;
export type TargetActivity = Activity["targets"][number];
