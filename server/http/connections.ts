import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

interface Connections {
  track(request: IncomingMessage, response: ServerResponse): void;
  /** What is being answered on this connection. */
  answeringOn(socket: Duplex): ServerResponse | undefined;
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
        // Its headers may have promised to keep the connection before the server was told to close.
        if (isClosing && !answering.has(socket)) socket.destroySoon();
      });
    },
    answeringOn: (socket) => answering.get(socket),
    async close(graceMs) {
      isClosing = true;
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      for (const response of answering.values()) response.shouldKeepAlive = false;
      // Node's own closeIdleConnections leaves those that never sent a request, and those that were upgraded.
      for (const socket of sockets) if (!answering.has(socket)) socket.destroy();
      const cutOff = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, graceMs);
      await closed;
      clearTimeout(cutOff);
    },
  };
}
