import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { z } from "zod";
import type { Effect } from "./facts.ts";

export interface Sink {
  url: string;
  /** In the order of their arrival. */
  effects: readonly Effect[];
  close(): Promise<void>;
}

/** `at`: UTC milliseconds of the effect. The report of a stopped process arrives after it continues. */
const reportSchema = z.object({
  at: z.int(),
  runId: z.string(),
  workflow: z.string(),
  step: z.string(),
  phase: z.enum(["begin", "done"]),
  pid: z.int(),
  generation: z.int(),
});

/** The external system: counts the effects of steps. It runs in the auditor's process, which is never killed. */
export async function openSink(onEffect: (effect: Effect) => void): Promise<Sink> {
  const effects: Effect[] = [];
  const server = createServer((request, response) => {
    // A report that is interrupted by a kill does not count.
    hear(request, response).catch(() => response.destroy());
  });
  async function hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reported = reportSchema.parse(JSON.parse(await text(request)));
    const effect = { ...reported, at: performance.now() - Math.max(0, Date.now() - reported.at) };
    effects.push(effect);
    response.end();
    onEffect(effect);
  }
  // A connection that is closed while it is reused would fail a step, and so repeat it.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    effects,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
