import * as fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ConnectionError } from "./errors.ts";
import { createEventParser, readEvents } from "./read-events.ts";

const streamOf = (pieces: readonly string[], end: "close" | "error" | "silence" = "close") =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (end === "close") controller.close();
      if (end === "error") controller.error(new Error("socket hang up"));
    },
  });

async function readAll(stream: ReadableStream<Uint8Array>, signal?: AbortSignal): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of readEvents(stream, signal)) events.push(event);
  return events;
}

const eventArbitrary = fc.record({
  id: fc.nat().map(String),
  event: fc.constantFrom("log", "completed", "step_started"),
  data: fc.json(),
});

describe("a stream of events", () => {
  it("has the same events for every split of its text, and for every line ending", () => {
    fc.assert(
      fc.property(
        fc.array(eventArbitrary),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.array(fc.nat({ max: 200 })),
        (events, lineEnd, cuts) => {
          const text = events
            .map(({ id, event, data }) => [`id: ${id}`, `event: ${event}`, `data: ${data}`, "", ""].join(lineEnd))
            .join("");
          const parse = createEventParser();
          let rest = text;
          const pieces = cuts.map((length) => {
            const piece = rest.slice(0, length);
            rest = rest.slice(length);
            return piece;
          });
          // A carriage return at the end could be the first half of a line ending.
          const parsed = [...pieces, rest, ": end\n"].flatMap((piece) => parse(piece));
          expect(parsed).toEqual([...events, null]);
        },
      ),
    );
  });

  it("joins lines of data, and skips events without data", async () => {
    const text = "retry: 2000\n\n: still here\n\ndata: a\ndata:b\n\nid: 7\n\n";
    expect(await readAll(streamOf([text]))).toEqual([null, { id: "", event: "message", data: "a\nb" }]);
  });

  it("keeps characters whose bytes arrive apart", async () => {
    const bytes = new TextEncoder().encode("data: 日本\n\n");
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await readAll(stream)).toEqual([{ id: "", event: "message", data: "日本" }]);
  });

  it("throws a ConnectionError if the connection breaks or is silent", async () => {
    await expect(readAll(streamOf([], "error"))).rejects.toThrow(
      "The stream of events was interrupted: socket hang up",
    );
    vi.useFakeTimers();
    try {
      const reading = readAll(streamOf(["data: 1\n\n"], "silence")).catch((error: unknown) => error);
      await vi.advanceTimersByTimeAsync(45_000);
      expect(await reading).toBeInstanceOf(ConnectionError);
    } finally {
      vi.useRealTimers();
    }
  });

  it("ends with the reason of an aborted signal", async () => {
    const controller = new AbortController();
    const reading = readAll(streamOf(["data: 1\n\n"], "silence"), controller.signal).catch((error: unknown) => error);
    controller.abort("enough");
    expect(await reading).toBe("enough");
  });
});
