import { Agent } from "node:http";
import { connect } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { linesWith } from "../faults/expectations.ts";
import { post, startBystander } from "./bystander.ts";
import { type HostileService, startHostileService } from "./hostile-service.ts";

const limit = 400;

it("the maximum of idle connections from one address locks out no sender, neither from another address nor from the same one", async () => {
  const service = await startHostileService({
    files: {
      "signalbox.config.ts": `import { defineConfig } from "signalbox/config";\nexport default defineConfig({ limits: { connections: ${limit} } });`,
    },
  });
  const idle = Array.from({ length: limit }, () => openIdly(service));
  await Promise.all(idle.map(({ opened }) => opened));
  const bystander = startBystander(service);
  const elsewhere = new Agent({ keepAlive: false, localAddress: "127.0.0.2" });
  onTestFinished(() => elsewhere.destroy());
  for (let n = 0; n < 5; n += 1)
    expect(
      (
        await post({
          url: `${service.url}/triggers/signup`,
          body: '{"name":"Ada"}',
          headers: { "x-api-key": service.key },
          agent: elsewhere,
        })
      ).status,
    ).toBe(202);
  const statuses = await bystander.finish();
  expect(new Set(statuses)).toEqual(new Set([202]));

  // One address keeps a quarter; the first ones were closed.
  await vi.waitFor(() => expect(idle.filter(({ isOpen }) => isOpen()).length).toBeLessThanOrEqual(limit / 4));
  expect(idle.at(-1)?.isOpen()).toBe(true);
  expect(linesWith(service.output(), "connection limit reached").length).toBeGreaterThan(0);
  expect(await getMetrics(service)).toMatch(
    /^signalbox_closed_connections_total\{limit="address",connection="idle"\} [1-9]/m,
  );
});

/** A connection that has made one request, and makes no other. */
function openIdly({ port }: HostileService): { opened: Promise<void>; isOpen: () => boolean } {
  const socket = connect({ port, host: "127.0.0.1" });
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  const opened = new Promise<void>((resolve) => {
    socket.once("data", () => resolve());
    socket.once("close", () => resolve());
  });
  socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
  return { opened, isOpen: () => !socket.destroyed };
}

async function getMetrics({ url, token }: HostileService): Promise<string> {
  return (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
}
