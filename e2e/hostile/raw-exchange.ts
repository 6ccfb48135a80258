import { connect } from "node:net";

export interface RawResponse {
  status: number;
  head: string;
  body: string;
}

/**
 * Sends bytes unchanged. Resolves with all responses when the server has closed the connection, and rejects if it has
 * not within `patienceMs`. `endsAfter`: whether our side is closed after the bytes, like a sender that has finished.
 * `drip`: the bytes to send each second afterwards, while the connection is open.
 */
export function exchange(
  port: number,
  bytes: string | Uint8Array,
  { endsAfter = false, patienceMs = 20_000, drip = "" } = {},
): Promise<RawResponse[]> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1" });
    const received: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(
          `The connection was still open after ${patienceMs} ms; it had brought ${JSON.stringify(Buffer.concat(received).toString("latin1").slice(0, 500))}`,
        ),
      );
    }, patienceMs);
    const dripping = drip === "" ? undefined : setInterval(() => socket.write(drip), 1000);
    socket.on("data", (chunk) => received.push(chunk));
    // The server may stop reading. Its responses until then count.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      clearInterval(dripping);
      try {
        resolve(splitResponses(Buffer.concat(received)));
      } catch (error) {
        reject(error);
      }
    });
    if (endsAfter) socket.end(toBytes(bytes));
    else socket.write(toBytes(bytes));
  });
}

function toBytes(bytes: string | Uint8Array): Uint8Array {
  return typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes;
}

function splitResponses(bytes: Buffer): RawResponse[] {
  const responses: RawResponse[] = [];
  let rest = bytes.toString("latin1");
  while (rest.startsWith("HTTP/")) {
    const headEnd = rest.indexOf("\r\n\r\n");
    if (headEnd < 0) throw new Error(`An answer ended within its head: ${rest.slice(0, 500)}`);
    const head = rest.slice(0, headEnd);
    const length = Number(/^content-length: (\d+)\r?$/im.exec(head)?.[1] ?? 0);
    responses.push({ status: Number(head.slice(9, 12)), head, body: rest.slice(headEnd + 4, headEnd + 4 + length) });
    rest = rest.slice(headEnd + 4 + length);
  }
  if (rest !== "") throw new Error(`Bytes that belong to no answer: ${rest.slice(0, 500)}`);
  return responses;
}
