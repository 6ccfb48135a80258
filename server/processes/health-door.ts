import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Answers `GET /healthz` and `GET /readyz` as web does, for those who look after a process that serves nothing else.
 * Rejects when it cannot listen.
 */
export async function openHealthDoor(p: {
  host: string;
  port: number;
  reasonsNotToBeReady: () => Promise<string[]>;
}): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (request, response) => {
    request.resume();
    const path = request.url?.split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") return answer(response, 405, { ok: false });
    if (path === "/healthz") return answer(response, 200, { ok: true });
    if (path !== "/readyz") return answer(response, 404, { ok: false });
    return void p
      .reasonsNotToBeReady()
      .then((reasons) => answer(response, reasons.length === 0 ? 200 : 503, { ok: reasons.length === 0, reasons }));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        error.code === "EADDRINUSE"
          ? new Error(
              `Port ${p.port} is in use. Stop the program that uses it, or choose another port with --health-port.`,
            )
          : error,
      ),
    );
    server.listen(p.port, p.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, status: number, body: object): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify(body));
}
