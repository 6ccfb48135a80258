import { connect, type Socket } from "node:net";
import { type Load, type LoadResult, prepareRequest, retryMs } from "./run-load.ts";

/** Between two more requests on a connection. Without them, the system does not report that the server has closed it. */
const moreMs = 1_000;

/**
 * Clients that read nothing: each connection sends `unread` requests at once, and its window fills with their
 * responses. Until it is stopped.
 */
export async function runUnread(load: Load, stopped: AbortSignal): Promise<LoadResult> {
  const { hostname, port } = new URL(load.url);
  const toBytes = prepareRequest(load, load.bodies?.[0] ?? null);
  const sockets = new Set<Socket>();
  const worked = process.cpuUsage();
  const beganAt = performance.now();
  let [opened, sent] = [0, 0];

  function open(): void {
    if (stopped.aborted) return;
    // Without a listener for data, Node reads nothing after the pause.
    const socket = connect({ host: hostname, port: Number(port) }).pause();
    sockets.add(socket);
    socket.once("connect", () => {
      opened += 1;
      for (let n = 0; n < (load.unread ?? 0); n += 1) socket.write(toBytes(sent++));
    });
    const sending = setInterval(() => socket.write(toBytes(sent++)), moreMs);
    socket.on("error", () => {});
    socket.once("close", () => {
      clearInterval(sending);
      sockets.delete(socket);
      setTimeout(open, retryMs);
    });
  }

  for (let n = 0; n < load.connections; n += 1) open();
  if (!stopped.aborted) await new Promise<void>((resolve) => stopped.addEventListener("abort", () => resolve()));
  for (const socket of sockets) socket.destroy();
  const { user, system } = process.cpuUsage(worked);
  const ms = performance.now() - beganAt;
  return {
    statuses: { 0: opened },
    answered: 0,
    ms,
    bytes: 0,
    latencies: new Float64Array(),
    beganAt: performance.timeOrigin + beganAt,
    endedAt: performance.timeOrigin + performance.now(),
    cpu: (user + system) / 1000 / ms,
  };
}
