import type { Duplex } from "node:stream";
import { expect, test, vi } from "vitest";
import { openMessageStream } from "./messages.ts";
import { createPipe } from "./testing/memory-pipe.ts";

/** One side sends, the other receives. `chunks`: the sent bytes. */
function connect(pipe: [Duplex, Duplex] = createPipe()) {
  const frames: unknown[][] = [];
  const chunks: Buffer[] = [];
  const closed = vi.fn<(error: Error | null) => void>();
  const [near, far] = pipe;
  far.on("data", (chunk: Buffer) => chunks.push(chunk));
  const sender = openMessageStream<unknown, unknown>(near, { onMessages: () => {}, onClosed: () => {} });
  const receiver = openMessageStream<unknown, unknown>(far, {
    onMessages: (messages) => frames.push(messages),
    onClosed: closed,
  });
  return { near, far, sender, receiver, frames, chunks, closed };
}

test("all messages of one turn of the event loop are sent in one frame, in order", async () => {
  const { sender, frames, chunks } = connect();
  for (let n = 0; n < 100; n += 1) sender.send({ n });
  await Promise.resolve();
  sender.send({ n: 100 });
  await vi.waitFor(() => expect(frames).toHaveLength(1));
  expect(frames[0]).toEqual(Array.from({ length: 101 }, (_, n) => ({ n })));
  expect(chunks).toHaveLength(1);
  sender.send("later");
  await vi.waitFor(() => expect(frames.slice(1)).toEqual([["later"]]));
});

test("messages that are sent just before a frame is written are part of it", async () => {
  const [near, far] = createPipe();
  const frames: unknown[] = [];
  openMessageStream<unknown, unknown>(far, { onMessages: (messages) => frames.push(messages), onClosed: () => {} });
  const sender = openMessageStream<string, unknown>(near, {
    onMessages: () => {},
    onFlush: () => sender.send("last"),
    onClosed: () => {},
  });
  sender.send("first");
  await vi.waitFor(() => expect(frames).toEqual([["first", "last"]]));
});

test("frames arrive complete, however the bytes are divided", async () => {
  const messages = ["", "ä𝒳\ud800", { deep: [{ text: "x".repeat(5_000) }] }, null];
  const bytes = await encode(messages);
  for (const size of [1, 2, 3, 5, 7, 4_096, bytes.length]) {
    const { near, frames } = connect();
    for (let at = 0; at < bytes.length; at += size) near.write(bytes.subarray(at, at + size));
    await vi.waitFor(() => expect(frames).toHaveLength(messages.length));
    expect(frames).toEqual(messages.map((message) => [message]));
  }
});

test("many large messages of one turn are divided into frames", async () => {
  const { sender, frames } = connect();
  const large = "x".repeat(400_000);
  for (let n = 0; n < 5; n += 1) sender.send(large);
  await vi.waitFor(() => expect(frames.flat()).toHaveLength(5));
  expect(frames.length).toBeGreaterThan(1);
  expect(frames.flat()).toEqual([large, large, large, large, large]);
});

test("invalid bytes close the stream, and nothing after them is read", async () => {
  for (const bytes of [Buffer.from([255, 255, 255, 255, 1]), Buffer.from([0, 0, 0, 2, 65, 65])]) {
    const { near, frames, closed } = connect();
    near.write(bytes);
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(closed.mock.calls[0]?.[0]).toBeInstanceOf(Error);
    expect(frames).toEqual([]);
  }
});

test("messages that were sent before the end are received, and then both sides are closed", async () => {
  const { sender, receiver, frames, closed } = connect();
  sender.send("goodbye");
  sender.end();
  sender.send("never sent");
  await Promise.all([sender.closed, receiver.closed]);
  expect(frames).toEqual([["goodbye"]]);
  expect(closed).toHaveBeenCalledExactlyOnceWith(null);
});

/** One frame for each message. */
async function encode(messages: readonly unknown[]): Promise<Buffer> {
  const { sender, chunks } = connect();
  for (const [n, message] of messages.entries()) {
    sender.send(message);
    await vi.waitFor(() => expect(chunks).toHaveLength(n + 1));
  }
  return Buffer.concat(chunks);
}
