import { readFileSync } from "node:fs";
import { request } from "node:http";
import { expect, it } from "vitest";
import { startHostileService } from "./hostile-service.ts";

type Ask = { path?: string; method?: string; headers: Record<string, string>; body?: string };

const json = { "content-type": "application/json" };
const ada = '{"name":"Ada"}';

it("in development, which needs no key, no page of another site fires a trigger or reads anything, under any host name", async () => {
  const service = await startHostileService({ command: "dev" });
  const own = `127.0.0.1:${service.port}`;
  const send = ({ path = "/triggers/signup", method = "POST", headers, body = ada }: Ask) =>
    ask(service.port, { path, method, headers, body });

  const pages: Record<string, Ask> = {
    "a form": {
      headers: {
        host: own,
        "content-type": "text/plain",
        origin: "https://evil.example",
        "sec-fetch-site": "cross-site",
      },
    },
    "a form of an old browser": { headers: { host: own, "content-type": "text/plain" } },
    "a form with fields": { headers: { host: own, "content-type": "application/x-www-form-urlencoded" } },
    "a beacon without a type": { headers: { host: own } },
    "JSON, unasked": { headers: { host: own, ...json, origin: "https://evil.example" } },
    "JSON from a sandbox": { headers: { host: own, ...json, origin: "null" } },
    "another port of this machine": {
      headers: { host: own, ...json, origin: "http://127.0.0.1:9", "sec-fetch-site": "same-site" },
    },
    "a name that was pointed here": {
      headers: { host: `evil.example:${service.port}`, ...json, origin: `http://evil.example:${service.port}` },
    },
    "a name that was pointed here, and no origin": { headers: { host: `evil.example:${service.port}`, ...json } },
    "a name that ends like ours": { headers: { host: `localhost.evil.example:${service.port}`, ...json } },
  };
  for (const [name, page] of Object.entries(pages)) expect([401, 403, 415], name).toContain((await send(page)).status);
  // The preflight of a browser before it sends JSON from another origin: the response gives no permission.
  const preflight = await send({
    method: "OPTIONS",
    headers: {
      host: own,
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "content-type",
    },
    body: "",
  });
  expect([preflight.status, preflight.text.toLowerCase().includes("access-control-allow")]).toEqual([403, false]);
  for (const path of ["/api/v1/runs", "/api/v1/deliveries", "/api/trpc/canvas.graph", "/", "/deliveries", "/runs"]) {
    const read = await send({ path, method: "GET", headers: { host: `evil.example:${service.port}` }, body: "" });
    // Like a deployed service: the API needs a token, and pages lead to /sign-in.
    expect(read.status, path).toBe(path.startsWith("/api/") ? 401 : 303);
  }
  expect(await service.countRuns()).toBe(0);

  const programs: Record<string, string>[] = [
    { host: own },
    { host: `localhost:${service.port}` },
    { host: own, origin: `http://${own}`, "sec-fetch-site": "same-origin" },
  ];
  for (const headers of programs) {
    expect((await send({ headers: { ...headers, ...json } })).status).toBe(202);
  }
  expect(await service.countRuns()).toBe(3);
  // No one on the network can connect: it listens on this machine only.
  expect(listeningAddresses(service.port)).toEqual(["0100007F"]);
});

function ask(port: number, p: Required<Ask>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        port,
        host: "127.0.0.1",
        path: p.path,
        method: p.method,
        headers: { ...p.headers, connection: "close", "content-length": p.body.length },
        agent: false,
      },
      (response) => {
        let text = JSON.stringify(response.headers);
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      },
    );
    sent.on("error", reject);
    sent.end(p.body);
  });
}

/** As the kernel writes them, in hexadecimal, lowest byte first. */
function listeningAddresses(port: number): string[] {
  const lines = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    readFileSync(file, "utf8").trim().split("\n").slice(1),
  );
  return lines.flatMap((line) => {
    const [, local = "", , state] = line.trim().split(/\s+/);
    const [address = "", hexPort = ""] = local.split(":");
    return state === "0A" && Number.parseInt(hexPort, 16) === port ? [address] : [];
  });
}
