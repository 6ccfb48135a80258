import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Many requests at once, each from an address of its own as a trusted proxy reports it. In a thread of its own, so that it does not delay honest senders. */
export interface Flood {
  url: string;
  method: string;
  /** `{n}` in the path, the headers and the body stands for the number of the request. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
  count: number;
  /** Number of the first request. */
  from: number;
}

const { url, method, path, headers, body, count, from } = workerData as Flood;
const agent = new Agent({ keepAlive: false });

/** The status; 0: no answer. */
function send(n: number): Promise<number> {
  const fill = (text: string) => text.replaceAll("{n}", String(n));
  const address = { "x-forwarded-for": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}` };
  const all = { ...address, ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)])) };
  return new Promise((resolve) => {
    const sent = request(url + fill(path), { method, headers: all, agent }, (response) => {
      response.resume();
      response.once("close", () => resolve(response.complete ? (response.statusCode ?? 0) : 0));
    });
    sent.once("error", () => resolve(0));
    sent.end(body === null ? undefined : fill(body));
  });
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin.
parentPort?.postMessage(await Promise.all(Array.from({ length: count }, (_, at) => send(from + at))));
