import { setTimeout } from "node:timers/promises";
import { tracked } from "@trpc/server";
import { z } from "zod";
import {
  type FeedData,
  type FeedKind,
  type FeedRequest,
  type LiveEvent,
  liveInputSchema,
  type Topic,
} from "../../contract/live.ts";
import type { Change, Feed } from "../../ports/feed.ts";
import { type Store, type StoreMark, storeTopics } from "../../ports/store.ts";
import type { ProjectReader } from "../../ports/project.ts";
import { createRunWatch, createTimelineFeed, createWordsFeed } from "../../runs/run-feeds.ts";
import { watchChanges } from "../../ports/watch-changes.ts";
import { createPulseFeed } from "../../traffic/pulse-feed.ts";
import { procedure, router } from "../trpc.ts";

/** Minimum time between two looks. */
const tickMs = 200;

/**
 * The live data of a browser. Each event names its feed. The id of an event has the positions of all feeds, so that a
 * reader continues where it was after a lost connection, or with other feeds. Heartbeats of workers are no changes.
 */
export const liveProcedure = procedure("watchChanges")
  .input(liveInputSchema)
  .subscription(async function* ({ ctx, input, signal }) {
    const ended = AbortSignal.any([ctx.stopping, ...(signal ? [signal] : [])]);
    const free = ctx.takeSlot("wait", ctx.principal);
    const changes = watchChanges(ctx.news, ended);
    const positions = readPositions(input.lastEventId);
    const feeds = input.feeds.map((feed) => ({
      id: feed.id,
      feed: openFeed(ctx, { ...feed, after: positions[feed.id] ?? feed.after }),
      isDue: true,
    }));
    try {
      let before: State | null = null;
      while (!ended.aborted) {
        const state = await readState(ctx);
        const has = changesBetween(before, state);
        for (const each of feeds) {
          const isDue = each.isDue;
          // A look that fails is repeated with the next change.
          const event = await each.feed.look((change) => isDue || has(change)).catch(() => "failed" as const);
          each.isDue = event === "failed";
          if (event === null || event === "failed") continue;
          positions[each.id] = event.after;
          yield tracked(JSON.stringify(positions), { feed: each.id, ...event } satisfies LiveEvent);
        }
        before = state;
        await setTimeout(tickMs, undefined, { signal: ended }).catch(() => undefined);
        await changes.next();
      }
    } finally {
      changes.stop();
      free();
    }
  });

export const projectRouter = router({
  /** The failure of the newest build; `null`: the newest build is active. Only `signalbox dev` reports it. */
  failedBuild: procedure("getFailedBuild").query(({ ctx }) => ctx.project.failedBuild?.() ?? null),
});

type LiveDeps = { store: Store; project: ProjectReader };

function readPositions(lastEventId: string | null | undefined): Record<string, string> {
  try {
    return z.record(z.string(), z.string()).parse(JSON.parse(lastEventId ?? "{}"));
  } catch {
    return {};
  }
}

type State = Record<Change, string | null>;

/** `null`: it could not be read, which counts as a change. */
async function readState({ store, project }: LiveDeps): Promise<State> {
  const [mark, live] = await Promise.all([store.mark().catch(() => null), store.liveMark().catch(() => null)]);
  return { ...(mark ?? unknownMark), live, build: describeBuild(project) };
}

const unknownMark = { deliveries: null, runs: null, presets: null, switches: null, alerts: null };

function describeBuild(project: ProjectReader): string {
  return `${project.current().manifest.version} ${project.failedBuild?.()?.at ?? ""}`;
}

function changesBetween(before: State | null, now: State): (change: Change) => boolean {
  return (change) => before === null || now[change] === null || now[change] !== before[change];
}

function openFeed(ctx: LiveDeps, feed: FeedRequest): Feed<FeedData[FeedKind]> {
  switch (feed.kind) {
    case "topics":
      return createTopicFeed(ctx, feed);
    case "timeline":
      return createTimelineFeed(ctx, feed);
    case "words":
      return createWordsFeed(ctx, feed);
    case "pulses":
      return createPulseFeed(ctx);
  }
}

const allTopics = [...storeTopics, "build"] as const;

const positionSchema = z.object({
  mark: z.record(z.enum(allTopics), z.string()),
  runs: z.record(z.string(), z.tuple([z.string(), z.number()])),
});

/** What changed, as topics. A reader without a position, or with one of an older release, has missed changes: `all`. */
function createTopicFeed(
  ctx: LiveDeps,
  { after, openRuns, endedRuns }: Extract<FeedRequest, { kind: "topics" }>,
): Feed<FeedData["topics"]> {
  const position = readPosition(after);
  const runs = createRunWatch(ctx, { openRuns, endedRuns, known: position?.runs ?? {} });
  let known = position?.mark ?? null;
  return {
    async look(has) {
      const mark: StoreMark & { build: string } = { ...(await ctx.store.mark()), build: describeBuild(ctx.project) };
      const changedRuns = has("runs") ? await runs.look() : [];
      const before = known;
      const changed: Topic[] = before ? allTopics.filter((topic) => mark[topic] !== before[topic]) : ["all"];
      const topics = [...changed, ...changedRuns.map((id): Topic => `run:${id}`)];
      known = mark;
      if (topics.length === 0) return null;
      const data = { topics, version: ctx.project.current().manifest.version };
      return { after: JSON.stringify({ mark, runs: runs.known() }), data };
    },
  };
}

function readPosition(after: string | null): z.infer<typeof positionSchema> | null {
  try {
    return positionSchema.parse(JSON.parse(after ?? ""));
  } catch {
    return null;
  }
}
