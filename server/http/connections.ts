import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

interface Connections {
  track(request: IncomingMessage, response: ServerResponse): void;
  /** Whether a request on this connection is being answered. */
  isAnswering(socket: Duplex): boolean;
  close(graceMs: number): Promise<void>;
}

/** Knows which requests are under way on a server, so that it can be closed without cutting one off. */
export function createConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const answering = new Map<Duplex, ServerResponse>();
  let isClosing = false;

  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });

  return {
    track(request, response) {
      const { socket } = request;
      answering.set(socket, response);
      if (isClosing) response.shouldKeepAlive = false;
      response.once("close", () => {
        if (answering.get(socket) === response) answering.delete(socket);
        // The connection is idle only after this event.
        if (isClosing) setImmediate(() => server.closeIdleConnections());
      });
    },
    isAnswering: (socket) => answering.has(socket),
    async close(graceMs) {
      isClosing = true;
      for (const response of answering.values()) response.shouldKeepAlive = false;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      server.closeIdleConnections();
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
