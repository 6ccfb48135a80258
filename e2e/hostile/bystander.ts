import { Agent, request } from "node:http";
import { setTimeout } from "node:timers/promises";

export interface Answered {
  /** 0: no answer came. */
  status: number;
  text: string;
}

/** Posts JSON on a connection of the agent; never rejects. */
export function post(p: {
  url: string;
  body: string | Uint8Array;
  headers?: Record<string, string>;
  agent: Agent;
}): Promise<Answered> {
  const body = Buffer.from(p.body);
  return new Promise((resolve) => {
    const sent = request(
      p.url,
      {
        method: "POST",
        headers: { "content-type": "application/json", "content-length": body.length, ...p.headers },
        agent: p.agent,
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("close", () =>
          resolve({
            status: response.complete ? (response.statusCode ?? 0) : 0,
            text: JSON.stringify(response.headers) + text,
          }),
        );
      },
    );
    sent.on("error", () => resolve({ status: 0, text: "" }));
    sent.end(body);
  });
}

/** The pause between two webhooks of a bystander. It measures delays, and must not use much CPU time itself. */
const pauseMs = 20;

export interface Bystander {
  /** How many responses it got so far. */
  answered(): number;
  /** Stops it. Returns its statuses. */
  finish(): Promise<number[]>;
}

/** An honest sender that sends one webhook after the other while the attack lasts. */
export function startBystander({ url, key }: { url: string; key: string }): Bystander {
  const agent = new Agent({ keepAlive: false });
  const statuses: number[] = [];
  let isFinishing = false;
  const isGoing = () => !isFinishing;
  const sending = (async () => {
    do {
      statuses.push(
        (await post({ url: `${url}/triggers/signup`, body: '{"name":"Ada"}', headers: { "x-api-key": key }, agent }))
          .status,
      );
      await setTimeout(pauseMs);
    } while (isGoing());
  })();
  return {
    answered: () => statuses.length,
    async finish() {
      isFinishing = true;
      await sending;
      agent.destroy();
      return statuses;
    },
  };
}
