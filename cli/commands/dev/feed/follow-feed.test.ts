import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FedDelivery } from "../../../../server/contract/feed.ts";
import type { TakenDelivery } from "../../../../server/processes/protocol.ts";
import { Failure } from "../../../terminal/failure.ts";
import { fakeDelivery } from "../../testing/fake-host.ts";
import type { FeedCursor } from "./feed-cursors.ts";
import { type FeedMessage, type FeedStart, InterruptedFeed } from "./feed-stream.ts";
import { followFeed } from "./follow-feed.ts";

const url = "https://hooks.example.com";
const total = 20;

const fed = (id: number): FedDelivery => ({ ...fakeDelivery, id: `dlv_${id}`, body: "e30=" });

function memoryCursor(kept: string | null = null): FeedCursor {
  let cursor = kept;
  return { read: () => cursor, save: (next) => void (cursor = next), close: () => {} };
}

/**
 * A feed of `total` deliveries whose cursor is their number. `ends`: the deliveries that each connection sends; after
 * them the reader is stopped at the end of the feed.
 */
function fakeFeed(ends: readonly number[], stop: () => void) {
  const starts: FeedStart[] = [];
  async function* open(start: FeedStart): AsyncGenerator<FeedMessage> {
    const count = ends[starts.length];
    starts.push(start);
    const after = start && "cursor" in start ? Number(start.cursor) : 0;
    yield { cursor: String(after), delivery: null };
    for (let id = after + 1; id <= total; id += 1) {
      if (count !== undefined && id > after + count)
        throw new InterruptedFeed("The connection was closed", { code: "feed_interrupted" });
      yield { cursor: String(id), delivery: fed(id) };
    }
    yield { cursor: String(total), delivery: null };
    stop();
  }
  return { starts, open };
}

function setUp(options: {
  ends?: readonly number[];
  kept?: string | null;
  take?: (id: number) => Promise<TakenDelivery | null>;
  open?: (start: FeedStart) => AsyncGenerator<FeedMessage>;
}) {
  const stopping = new AbortController();
  const taken: number[] = [];
  const notices: string[] = [];
  const cursor = memoryCursor(options.kept);
  const feed = fakeFeed(options.ends ?? [], () => stopping.abort());
  const following = followFeed({
    source: { url, endpoints: [] },
    isMatchOnly: false,
    since: null,
    cursor,
    open: options.open ?? feed.open,
    take: async ({ delivery }) => {
      const id = Number(delivery.id.slice("dlv_".length));
      const answer = options.take ? await options.take(id) : ({ taken: "recorded" } as const);
      if (answer?.taken === "recorded") taken.push(id);
      return answer;
    },
    notice: (level, message) => void notices.push(`${level}: ${message}`),
    signal: stopping.signal,
    wait: async () => {},
    random: () => 0.5,
  });
  return { following, taken, notices, cursor, starts: feed.starts, stop: () => stopping.abort() };
}

const all = Array.from({ length: total }, (_, at) => at + 1);

it("every delivery is recorded, and the cursor is saved without a gap, however connections break and however late each is recorded", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 8 }), { maxLength: 6 }),
      fc.array(fc.nat({ max: 3 }), { minLength: total, maxLength: total }),
      async (ends, delays) => {
        const saved: number[] = [];
        const isTaken = new Set<number>();
        const { following, cursor, taken } = setUp({
          ends,
          take: async (id) => {
            for (let turn = 0; turn < (delays[id - 1] ?? 0); turn += 1) await new Promise(setImmediate);
            isTaken.add(id);
            const reached = Number(cursor.read());
            saved.push(reached);
            for (const before of all.slice(0, reached)) expect(isTaken).toContain(before);
            return { taken: "recorded" };
          },
        });
        await following;
        expect(new Set(taken)).toEqual(new Set(all));
        expect(cursor.read()).toBe(String(total));
        expect(saved).toEqual(saved.toSorted((a, b) => a - b));
      },
    ),
    { numRuns: 60 },
  );
});

it("continues after the kept cursor, and says so; a break is reported once, with its reason", async () => {
  const { following, taken, notices, starts } = setUp({ kept: "5", ends: [3, 0, 0] });
  await following;
  expect(taken).toEqual(all.slice(5));
  expect(starts).toEqual([{ cursor: "5" }, { cursor: "8" }, { cursor: "8" }, { cursor: "8" }]);
  expect(notices[0]).toBe(`info: The deliveries of ${url} run here, since the last time.`);
  expect(notices[1]).toMatch(/^warn: The connection was closed\. Next attempt in 1/);
  expect(notices.at(-1)).toBe(`info: The feed of ${url} continues after the last delivery.`);
});

it("a delivery waits while this service is busy or not serving, and the cursor waits with it", async () => {
  let tries = 0;
  const { following, cursor, notices, taken } = setUp({
    take: async (id) => {
      if (id !== 3) return { taken: "recorded" };
      tries += 1;
      expect(Number(cursor.read())).toBeLessThan(3);
      if (tries < 3) return null;
      return tries < 6 ? { taken: "busy", reason: "The queue is full." } : { taken: "recorded" };
    },
  });
  await following;
  expect(taken.toSorted((a, b) => a - b)).toEqual(all);
  expect(notices.filter((notice) => notice.includes("waits"))).toEqual([
    `warn: Delivery dlv_3 of ${url} waits: The queue is full.`,
  ]);
});

it("deliveries that were recorded before are counted, and one that cannot be recorded is named", async () => {
  const { following, notices } = setUp({
    take: async (id) => (id === 7 ? { taken: "failed", reason: "a defect" } : { taken: "known" }),
  });
  await following;
  expect(notices).toContain(`error: Delivery dlv_7 of ${url} cannot be recorded here: a defect`);
  expect(notices.at(-1)).toBe(`info: ${total - 1} deliveries had been recorded here before.`);
});

it("a rejected first connection ends the command; a later one ends following, with a notice", async () => {
  const rejected = new Failure("Send a valid key.", { code: "unauthorized" });
  const first = setUp({
    // oxlint-disable-next-line require-yield -- the connection is rejected before its first event.
    async *open() {
      throw rejected;
    },
  });
  await expect(first.following).rejects.toBe(rejected);
  let connections = 0;
  const later = setUp({
    async *open() {
      connections += 1;
      if (connections > 1) throw rejected;
      yield { cursor: "1", delivery: fed(1) };
    },
  });
  await expect(later.following).resolves.toBeUndefined();
  expect(later.notices.at(-1)).toBe("error: The feed has ended. Send a valid key.");
});
