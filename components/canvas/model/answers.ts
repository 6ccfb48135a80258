import type { inferRouterOutputs } from "@trpc/server";
import type { AppRouter } from "../../../server/trpc/router.ts";

type Outputs = inferRouterOutputs<AppRouter>["canvas"];

/** The data of the canvas: all triggers and targets of the current build. */
export type Graph = Outputs["graph"];
export type GraphTrigger = Graph["triggers"][number];
export type GraphTarget = Graph["targets"][number];
export type GraphAgent = NonNullable<GraphTarget["agent"]>;

/** Activity on parts of the graph within a time window. */
export type Activity = Outputs["activity"];
export type EndpointActivity = Activity["endpoints"][number];
export type VerdictCounts = Omit<Activity["triggers"][number], "attachmentId">;
export type TargetActivity = Activity["targets"][number];
