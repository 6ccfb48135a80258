import { Agent } from "node:http";
import { parentPort, workerData } from "node:worker_threads";
import { post } from "../hostile/bystander.ts";

/** A sender in a thread of its own, so that the work of the fuzzer does not delay it. It does not wait for responses. */
export interface HonestSender {
  url: string;
  key: string;
  everyMs: number;
}

export interface HonestResponse {
  status: number;
  tookMs: number;
}

const { url, key, everyMs } = workerData as HonestSender;
const agent = new Agent({ keepAlive: false });

setInterval(() => void send(), everyMs);

async function send(): Promise<void> {
  const sentAt = performance.now();
  const { status } = await post({ url, body: '{"name":"Ada"}', headers: { "x-api-key": key }, agent });
  const response: HonestResponse = { status, tookMs: performance.now() - sentAt };
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has no origin.
  parentPort?.postMessage(response);
}
