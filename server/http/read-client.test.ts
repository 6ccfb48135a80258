import { get, createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { readClient } from "./read-client.ts";
import { trustNobody, trustProxies } from "./connections.ts";

const forwarded = {
  "x-forwarded-for": "6.6.6.6, 203.0.113.7, 10.0.0.2",
  "x-forwarded-host": "hooks.example.com",
  "x-forwarded-proto": "https",
  forwarded: "for=6.6.6.6",
};

/** The client of a request from this machine. */
async function ask(proxies: Parameters<typeof readClient>[1], headers: Record<string, string>) {
  const seen = Promise.withResolvers<{
    client: ReturnType<typeof readClient>;
    headers: IncomingMessage["headers"];
    raw: string[];
  }>();
  const server = createServer((request, response) => {
    seen.resolve({ client: readClient(request, proxies), headers: request.headers, raw: request.rawHeaders });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  get({
    port: (server.address() as AddressInfo).port,
    host: "127.0.0.1",
    headers: { host: "10.0.0.9:3000", ...headers },
  }).on("error", seen.reject);
  return seen.promise;
}

it("unknown proxies are not trusted, and their headers are removed", async () => {
  for (const proxies of [trustNobody, trustProxies(["10.0.0.0/8"])]) {
    const { client, headers, raw } = await ask(proxies, forwarded);
    expect(client).toEqual({ address: "127.0.0.1", isSecure: false, remoteReason: expect.any(String) });
    expect(headers.host).toBe("10.0.0.9:3000");
    expect(`${Object.keys(headers).join()} ${raw.join()}`).not.toMatch(/forwarded/i);
  }
});

it("a trusted proxy provides the nearest address that is not a proxy's, the host, and TLS", async () => {
  const { client, headers, raw } = await ask(trustProxies(["127.0.0.1", "10.0.0.0/8", "::1"]), forwarded);
  expect(client).toEqual({ address: "203.0.113.7", isSecure: true, remoteReason: expect.any(String) });
  expect(headers.host).toBe("hooks.example.com");
  expect(raw.filter((_, at) => raw[at - 1]?.toLowerCase() === "host")).toEqual(["hooks.example.com"]);
  expect(raw.join()).not.toMatch(/forwarded/i);
});

it.each([
  [{}, "127.0.0.1", false],
  [{ "x-forwarded-for": "not an address" }, "127.0.0.1", false],
  [{ "x-forwarded-for": "203.0.113.7, rubbish" }, "127.0.0.1", false],
  [{ "x-forwarded-for": "::ffff:203.0.113.7", "x-forwarded-proto": "http" }, "203.0.113.7", false],
  [{ "x-forwarded-for": "10.0.0.3, 10.0.0.2", "x-forwarded-proto": "http, https" }, "10.0.0.3", true],
])("from a trusted proxy's %j, the client is %s", async (headers, address, isSecure) => {
  const { client } = await ask(trustProxies(["127.0.0.0/8", "10.0.0.0/8"]), headers);
  expect(client).toEqual({ address, isSecure, remoteReason: expect.any(String) });
});

it("an invalid host is ignored", async () => {
  // Node cannot make a URL of these.
  for (const host of ["1.2.3.4.5.6", "[::1", "a:99999", "0x1.2.3.4.5"])
    expect((await ask(trustProxies(["127.0.0.1"]), { "x-forwarded-host": host })).headers.host, host).not.toBe(host);
  expect((await ask(trustProxies(["127.0.0.1"]), { "x-forwarded-host": "evil.example/path?" })).headers.host).toBe(
    "10.0.0.9:3000",
  );
});

it("a request for a name of this machine is local, and a forwarded request is not, even if the proxy is trusted", async () => {
  for (const proxies of [trustNobody, trustProxies(["127.0.0.1"])]) {
    expect((await ask(proxies, { host: "localhost:3002" })).client.remoteReason).toBeNull();
    expect(
      (await ask(proxies, { host: "localhost:3002", "x-forwarded-for": "127.0.0.1", "x-forwarded-host": "localhost" }))
        .client.remoteReason,
    ).toBe("this one has the header x-forwarded-for, which proxies and tunnels add");
  }
});
