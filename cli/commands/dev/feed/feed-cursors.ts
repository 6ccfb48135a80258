import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { FeedSource } from "./feed-stream.ts";

const savedSchema = z.object({
  /** `endpoint`: one, or several in alphabetical order with commas; `null`: all. */
  feeds: z.array(z.object({ url: z.string(), endpoint: z.string().nullable(), cursor: z.string() })),
});

type SavedFeeds = z.infer<typeof savedSchema>;

const saveAfterMs = 200;

/** The cursor after the deliveries of a feed that are recorded here. It survives restarts of `dev`. */
export interface FeedCursor {
  /** `null`: none. */
  read(): string | null;
  /** Writes soon. After a crash, an older cursor is read: its deliveries are then known by their ids. */
  save(cursor: string): void;
  /** Writes what is not written yet. */
  close(): void;
}

/** Kept in the project's data folder, for each service and each set of endpoints. */
export function openFeedCursor(
  stateDir: string,
  { url, endpoints }: Pick<FeedSource, "url" | "endpoints">,
): FeedCursor {
  const endpoint = endpoints.length === 0 ? null : [...new Set(endpoints)].toSorted().join();
  const file = join(stateDir, "feeds.json");
  const isThis = (feed: SavedFeeds["feeds"][number]) => feed.url === url && feed.endpoint === endpoint;
  let unsaved: string | null = null;
  let timer: NodeJS.Timeout | undefined;

  function write(): void {
    clearTimeout(timer);
    timer = undefined;
    if (unsaved === null) return;
    const others = readFile(file).feeds.filter((feed) => !isThis(feed));
    const saved: SavedFeeds = { feeds: [...others, { url, endpoint, cursor: unsaved }] };
    unsaved = null;
    mkdirSync(dirname(file), { recursive: true });
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, `${JSON.stringify(saved, null, 2)}\n`);
    // Atomic: a reader sees the old file or the new one.
    renameSync(draft, file);
  }

  return {
    read: () => unsaved ?? readFile(file).feeds.find(isThis)?.cursor ?? null,
    save(cursor) {
      unsaved = cursor;
      timer ??= setTimeout(write, saveAfterMs);
    },
    close: write,
  };
}

function readFile(file: string): SavedFeeds {
  try {
    return savedSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return { feeds: [] };
  }
}
