import { afterEach, describe, expect, it, vi } from "vitest";
import { downloadResponse, type SseEvent, sseResponse } from "./streaming-responses.ts";

it("a client that disconnects while the next part is generated is not an error, and nothing more is generated", async () => {
  const [asked, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = Promise.withResolvers<void>();
  const onError = vi.fn<(error: unknown) => void>();
  async function* pieces() {
    try {
      yield "first";
      asked.resolve();
      await made.promise;
      yield "second";
    } finally {
      ended.resolve();
    }
  }
  const { body } = await downloadResponse({
    pieces: pieces(),
    contentType: "text/csv",
    fileName: "a.csv",
    stopping: new AbortController().signal,
    onError,
  });
  const reader = body?.getReader();
  await reader?.read();
  const pending = reader?.read();
  await asked.promise;
  const left = reader?.cancel();
  made.resolve();
  await Promise.all([pending, left, ended.promise]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(onError).not.toHaveBeenCalled();
});

afterEach(() => void vi.useRealTimers());

function open(events: (signal: AbortSignal) => AsyncIterable<SseEvent>, stopping = new AbortController().signal) {
  const errors: unknown[] = [];
  const { body } = sseResponse({ open: events, stopping, onError: (error) => errors.push(error) });
  if (!body) throw new Error("no stream");
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  return { errors, reader, next: async () => (await reader.read()).value };
}

describe("server-sent events", () => {
  it("are written with id, name and data, after a first line that opens the stream", async () => {
    const stream = open(async function* () {
      yield { id: "7", event: "log", data: { message: "two\nlines" } };
      yield { id: null, event: "end", data: {} };
    });
    expect(await stream.next()).toBe("retry: 2000\n\n");
    expect(await stream.next()).toBe('id: 7\nevent: log\ndata: {"message":"two\\nlines"}\n\n');
    expect(await stream.next()).toBe("event: end\ndata: {}\n\n");
    expect((await stream.reader.read()).done).toBe(true);
  });

  it("send a comment after each 15 seconds of silence, and lose no event over it", async () => {
    vi.useFakeTimers();
    const silence = Promise.withResolvers<void>();
    const stream = open(async function* () {
      await silence.promise;
      yield { id: "1", event: "log", data: 1 };
    });
    await stream.next();
    for (let beat = 0; beat < 2; beat++) {
      const comment = stream.next();
      await vi.advanceTimersByTimeAsync(15_000);
      expect(await comment).toBe(": still here\n\n");
    }
    silence.resolve();
    expect(await stream.next()).toBe("id: 1\nevent: log\ndata: 1\n\n");
  });

  it("stop when the client disconnects", async () => {
    let signal: AbortSignal | null = null;
    const stream = open(async function* (given) {
      signal = given;
      yield { id: "1", event: "log", data: 1 };
      await new Promise((resolve) => given.addEventListener("abort", resolve));
    });
    await stream.next();
    await stream.next();
    await stream.reader.cancel();
    await vi.waitFor(() => expect(signal?.aborted).toBe(true));
  });

  it("stop when the service stops", async () => {
    const stopping = new AbortController();
    const stream = open(async function* (signal) {
      yield { id: "1", event: "log", data: 1 };
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }, stopping.signal);
    await stream.next();
    await stream.next();
    const ended = stream.reader.read();
    stopping.abort();
    expect((await ended).done).toBe(true);
  });

  it("start with the first read", async () => {
    const opened = vi.fn<() => AsyncIterable<SseEvent>>();
    sseResponse({ open: opened, stopping: new AbortController().signal, onError: () => {} });
    await Promise.resolve();
    expect(opened).not.toHaveBeenCalled();
  });
});

it("a client that disconnects during silence is not an error, and ends the events", async () => {
  const waiting = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const onError = vi.fn<(error: unknown) => void>();
  async function* untilAborted(signal: AbortSignal) {
    yield { id: "1", event: "a", data: {} };
    waiting.resolve();
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    ended.resolve();
  }
  const reader = sseResponse({ open: untilAborted, stopping: new AbortController().signal, onError }).body?.getReader();
  await reader?.read();
  await reader?.read();
  const pending = reader?.read();
  await waiting.promise;
  await reader?.cancel();
  await Promise.all([ended.promise, pending]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(onError).not.toHaveBeenCalled();
});
