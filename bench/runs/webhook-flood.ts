import { connect } from "node:net";
import type { BenchProject } from "./bench-project.ts";
import type { BenchService } from "./bench-service.ts";

/**
 * Sends webhooks over persistent connections, this number at a time on each (pipelined), as fast as they are answered.
 * The client needs little CPU: it prepares the bytes once, and only counts responses.
 */
export async function floodWithWebhooks(p: {
  service: BenchService;
  project: BenchProject;
  connections: number;
  inFlight: number;
  forMs: number;
}): Promise<{ accepted: number; rejected: number; seconds: number }> {
  const request = requestBytes(p);
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: p.connections }, () => floodConnection({ ...p, request, until: began + p.forMs })),
  );
  const sum = (of: "accepted" | "rejected") => counts.reduce((total, count) => total + count[of], 0);
  return { accepted: sum("accepted"), rejected: sum("rejected"), seconds: (performance.now() - began) / 1000 };
}

function requestBytes({ service, project }: { service: BenchService; project: BenchProject }): Buffer {
  const body = JSON.stringify({ email: "someone@example.com", text: "x".repeat(200) });
  return Buffer.from(
    `POST /triggers/bench/trivial HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nContent-Type: application/json\r\nX-Api-Key: ${project.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
}

function floodConnection(p: {
  service: BenchService;
  request: Buffer;
  inFlight: number;
  until: number;
}): Promise<{ accepted: number; rejected: number }> {
  const { hostname, port } = new URL(p.service.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const count = { accepted: 0, rejected: 0 };
  let open = 0;
  let rest = "";
  return new Promise((resolve, reject) => {
    const send = (times: number) => {
      open += times;
      socket.write(Buffer.concat(Array.from({ length: times }, () => p.request)));
    };
    socket.on("connect", () => send(p.inFlight));
    socket.on("data", (chunk) => {
      const text = rest + chunk.toString("latin1");
      const answers = text.split("HTTP/1.1 ").slice(1);
      const last = text.lastIndexOf("HTTP/1.1 ");
      // A response is counted by its first line. The last one may be incomplete.
      const isCut = last >= 0 && text.length < last + 12;
      rest = isCut ? text.slice(last) : text.slice(-11).replace(/HTTP\/1\.1 \d{3}/, "");
      const whole = isCut ? answers.slice(0, -1) : answers;
      for (const answer of whole) count[answer.startsWith("202") ? "accepted" : "rejected"] += 1;
      open -= whole.length;
      if (performance.now() < p.until) return whole.length > 0 && send(whole.length);
      if (open === 0) {
        socket.end();
        resolve(count);
      }
    });
    socket.on("error", reject);
  });
}
