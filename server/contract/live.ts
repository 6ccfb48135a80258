import { z } from "zod";
import type { AgentLive } from "./agent/trace.ts";
import type { DeliveryOutcome } from "./delivery.ts";
import type { TimelineEntry } from "./timeline.ts";

/** The live data of the app: one stream has any number of feeds, so that a browser needs one connection. */

const runId = z.string().max(64);

const feedFields = {
  /** Unique in the stream. */
  id: z.string().max(64),
  /** The position of the last event that the reader has; `null`: none. */
  after: z.string().max(16_384).nullable(),
};

const feedSchema = z.discriminatedUnion("kind", [
  /** What changed, as topics. `openRuns` and `endedRuns`: the runs that the reader shows, by what it knows of them. */
  z.strictObject({
    ...feedFields,
    kind: z.literal("topics"),
    openRuns: z.array(runId).max(100),
    endedRuns: z.array(runId).max(100),
  }),
  /** The timeline entries of a run. */
  z.strictObject({ ...feedFields, kind: z.literal("timeline"), run: runId }),
  /** The live output of the model of an agent's run. */
  z.strictObject({ ...feedFields, kind: z.literal("words"), run: runId }),
  /** Deliveries as they arrive. */
  z.strictObject({ ...feedFields, kind: z.literal("pulses") }),
]);

export const liveInputSchema = z.strictObject({
  feeds: z.array(feedSchema).max(64),
  /** The id of the last event, after a lost connection. It replaces `after`. */
  lastEventId: z.string().max(65_536).nullish(),
});

/**
 * A kind of data that a page shows. `build`: the project, also a build that failed. `run:<id>`: one run, with its
 * conversation. `all`: the reader may have missed changes of everything but runs.
 */
export type Topic = "all" | "build" | "deliveries" | "runs" | "presets" | "switches" | "alerts" | `run:${string}`;

/** A delivery that is animated on the canvas. */
export interface Pulse {
  id: string;
  endpoint: string;
  outcome: DeliveryOutcome;
  /** Attachment ids that it passed, and those that stopped it. */
  matched: string[];
  stopped: string[];
}

export interface Pulses {
  /** Oldest first. */
  deliveries: Pulse[];
  /** The number of further deliveries that are not shown here. */
  missed: number;
}

/** The data of the events of each kind of feed. */
export interface FeedData {
  /** `version`: the active build. */
  topics: { topics: Topic[]; version: string };
  timeline: TimelineEntry[];
  words: AgentLive | null;
  pulses: Pulses;
}

export type FeedKind = keyof FeedData;
export type FeedRequest = z.infer<typeof feedSchema>;

/** One event of a stream. `after`: its position in its feed. */
export interface LiveEvent {
  feed: string;
  after: string;
  data: FeedData[FeedKind];
}
