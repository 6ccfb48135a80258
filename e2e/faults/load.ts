import { Agent, request } from "node:http";
import { z } from "zod";

export interface Answer {
  /** 0: no response. -1: an incomplete response. */
  status: number;
  code: string | null;
  retryAfter: string | null;
  runId: string | null;
  n: number;
  durationMs: number;
}

export interface Load {
  answers(): readonly Answer[];
  /** Resolves when every request is answered. */
  finish(): Promise<readonly Answer[]>;
}

export interface LoadOptions {
  url: string;
  key: string;
  clients: number;
  /** Pause of each client between two requests. */
  paceMs?: number;
  paddingBytes?: number;
  /** How long a step takes, and the sleep between the two. */
  ms?: number;
  sleepMs?: number;
}

const bodySchema = z.object({ code: z.string().optional(), runId: z.string().nullable().optional() });
const clientTimeoutMs = 30_000;
let next = 1;

/** Clients that send one webhook after the other and note every answer. */
export function startLoad(options: LoadOptions): Load {
  const answers: Answer[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: options.clients });
  let isFinishing = false;
  const isGoing = () => !isFinishing;
  const clients = Array.from({ length: options.clients }, async () => {
    while (isGoing()) {
      answers.push(await sendNote({ ...options, agent }));
      await new Promise((resolve) => setTimeout(resolve, options.paceMs ?? 5));
    }
  });
  return {
    answers: () => answers,
    async finish() {
      isFinishing = true;
      await Promise.all(clients);
      agent.destroy();
      return answers;
    },
  };
}

/** Sends one webhook; never rejects. */
export function sendNote(
  p: Pick<LoadOptions, "url" | "key" | "ms" | "sleepMs" | "paddingBytes"> & { agent?: Agent },
): Promise<Answer> {
  const n = next++;
  const body = JSON.stringify({ n, ms: p.ms ?? 5, sleepMs: p.sleepMs ?? 20, padding: "x".repeat(p.paddingBytes ?? 0) });
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body), "x-api-key": p.key };
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const end = (answer: Partial<Answer>) =>
      resolve({
        status: 0,
        code: null,
        retryAfter: null,
        runId: null,
        ...answer,
        n,
        durationMs: performance.now() - startedAt,
      });
    const sent = request(
      `${p.url}/triggers/notes`,
      { method: "POST", headers, timeout: clientTimeoutMs, ...(p.agent ? { agent: p.agent } : {}) },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("close", () => {
          const status = response.complete ? (response.statusCode ?? 0) : -1;
          const { code = null, runId = null } = (status > 0 && bodySchema.safeParse(JSON.parse(text)).data) || {};
          end({ status, code, runId, retryAfter: response.headers["retry-after"] ?? null });
        });
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => end({}));
    sent.end(body);
  });
}
