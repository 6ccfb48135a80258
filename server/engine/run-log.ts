import type { Json } from "../contract/json.ts";
import type { LogLevel } from "../contract/timeline.ts";
import type { NewTimelineEntry } from "../ports/store/engine-store.ts";
import { toJson } from "./run-values.ts";

const maxMessageBytes = 16 * 1024;
const maxDataBytes = 64 * 1024;
const maxEntries = 10_000;

type RunLog = Record<LogLevel, (message: string, data?: unknown) => void>;

/** `ctx.log`, with limits, so that a loop that logs cannot fill the store. Never throws: logging must not affect a run. */
export function createRunLog(p: {
  attempt: number;
  now: () => number;
  note: (entry: NewTimelineEntry) => void;
}): RunLog {
  let count = 0;

  function add(level: LogLevel, message: unknown, data: unknown): void {
    count += 1;
    if (count > maxEntries + 1) return;
    const entry = { at: p.now(), kind: "log" as const, attempt: p.attempt };
    if (count > maxEntries) {
      p.note({
        ...entry,
        level: "warn",
        message: `This attempt has logged ${maxEntries} entries. Further entries are dropped.`,
      });
      return;
    }
    p.note({
      ...entry,
      level,
      message: cutMessage(describe(message)),
      ...(data === undefined ? {} : { data: cutData(data) }),
    });
  }

  return {
    debug: (message, data) => add("debug", message, data),
    info: (message, data) => add("info", message, data),
    warn: (message, data) => add("warn", message, data),
    error: (message, data) => add("error", message, data),
  };
}

function describe(message: unknown): string {
  if (typeof message === "string") return message;
  try {
    return message instanceof Error ? (message.stack ?? message.message) : (JSON.stringify(message) ?? String(message));
  } catch {
    return String(message);
  }
}

function cutMessage(message: string): string {
  const bytes = Buffer.byteLength(message);
  if (bytes <= maxMessageBytes) return message;
  return `${cutToBytes(message, maxMessageBytes)}… (cut, ${bytes} bytes)`;
}

/** Data over the limit is replaced by its beginning as marked text. */
function cutData(data: unknown): Json {
  try {
    const json = toJson(
      data instanceof Error ? { name: data.name, message: data.message, stack: data.stack } : data,
      "The data",
    );
    const text = JSON.stringify(json);
    const bytes = Buffer.byteLength(text);
    return bytes <= maxDataBytes ? json : { isCut: true, bytes, beginning: cutToBytes(text, maxDataBytes) };
  } catch (error) {
    return {
      isCut: true,
      bytes: 0,
      beginning: error instanceof Error ? error.message : "The data cannot be stored as JSON.",
    };
  }
}

/** Cuts between characters, never inside one. */
function cutToBytes(text: string, maxBytes: number): string {
  const buffer = Buffer.from(text.slice(0, maxBytes));
  let end = Math.min(maxBytes, buffer.length);
  while (end > 0 && end < buffer.length && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return buffer.toString("utf8", 0, end);
}

/**
 * Removes repeated log entries. An attempt that continues after a sleep or a lost worker runs its code from the top and
 * logs entries again that are already in the timeline. Entries are buffered: if the code reaches a stored step or
 * sleep, they are repeats; if it starts a new one or ends, they are new.
 */
export function createRepeatFilter(p: { stored: Iterable<string>; write: (entries: NewTimelineEntry[]) => void }) {
  const ahead = new Set(p.stored);
  let held: NewTimelineEntry[] = [];

  function flush(): void {
    if (held.length > 0) p.write(held);
    held = [];
    ahead.clear();
  }

  return {
    note(entry: NewTimelineEntry): void {
      if (ahead.size > 0) held.push(entry);
      else p.write([entry]);
    },
    /** Called when the code reaches this step or sleep. */
    reach(name: string): void {
      if (ahead.delete(name)) held = [];
      else flush();
    },
    flush,
  };
}
