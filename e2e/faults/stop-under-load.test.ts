import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, it, vi } from "vitest";
import { expectAnswersOf, expectNothingLost } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { sendNote, startLoad } from "./load.ts";

/** What `signalbox start` promises at SIGTERM: ten seconds, and a little for a machine that is busy. */
const stopWithinMs = 15_000;

/** A sender that sends a byte of its body now and then, forever. */
function drip(port: number, key: string): { received: () => string; closed: Promise<unknown> } {
  const socket = connect({ port, host: "127.0.0.1" });
  let received = "";
  socket.on("data", (chunk: Buffer) => (received += chunk.toString("latin1")));
  socket.on("error", () => {});
  socket.write(
    `POST /triggers/notes HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: ${key}\r\nContent-Length: 10000\r\n\r\n{`,
  );
  const timer = setInterval(() => socket.write(" "), 100);
  const closed = once(socket, "close").finally(() => clearInterval(timer));
  return { received: () => received, closed };
}

describe("SIGTERM under load", () => {
  it("exits with 0 in time: requests in flight get complete responses, slow senders are disconnected, every 202 is kept and its run continues", async () => {
    const project = prepareFaultyProject();
    const service = await startFaultyService(project);
    const { url, key } = service;
    const long = await sendNote({ url, key, ms: 1_500, sleepMs: 10 });
    const slow = drip(Number(new URL(url).port), key);
    const load = startLoad({ url, key, clients: 6, paceMs: 10, ms: 5 });
    await vi.waitFor(() => expect(load.answers().filter(({ status }) => status === 202).length).toBeGreaterThan(100));

    const since = performance.now();
    const code = await service.stop();
    expect(code).toBe(0);
    expect(performance.now() - since).toBeLessThan(stopWithinMs);
    await slow.closed;
    expect(slow.received()).toMatch(/^(HTTP\/1\.1 (503|408) [^]*)?$/);
    const answers = [...(await load.finish()), long];
    // 0: the connection was rejected, or ended before the first byte of a response. No response was incomplete.
    expectAnswersOf(answers, [202, 503, 0]);
    expect(long.status).toBe(202);

    const again = await startFaultyService(project);
    await expectNothingLost(again, answers, { isExactlyOnce: false });
    expect(await again.stop()).toBe(0);
  });
});
