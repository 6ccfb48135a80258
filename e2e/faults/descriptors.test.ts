import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Agent } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { type Answer, sendNote } from "./load.ts";

const spare = 12;
const idle = 120;

describe("exhausted file descriptors", { timeout: 300_000 }, () => {
  it("by idle connections: open connections are served and kept, new ones are rejected, and all are served once descriptors are free", async () => {
    const service = await startFaultyService(prepareFaultyProject());
    const { url, key } = service;
    const [web = 0] = service.web();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const answers: Answer[] = [];
    const send = async () => answers.push(await sendNote({ url, key, agent }));
    // What is loaded and opened once is there by then.
    for (let n = 0; n < 5; n += 1) await send();
    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200), { timeout: 20_000 });

    const used = readdirSync(`/proc/${web}/fd`).length;
    limitDescriptors(web, used + spare);
    const sockets = Array.from({ length: idle }, () => openIdly(Number(new URL(url).port)));
    onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
    await vi.waitFor(
      () =>
        expect(
          sockets.filter(({ destroyed, readyState }) => destroyed || readyState === "closed").length,
        ).toBeGreaterThan(idle - spare - 10),
      { timeout: 20_000 },
    );
    for (let n = 0; n < 30; n += 1) await send();
    expectAnswersOf(answers, [202]);
    // On a connection of its own.
    expect((await sendNote({ url, key, agent: new Agent() })).status).toBe(0);

    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect((await statusOf(`${url}/healthz`)).status).toBe(200), { timeout: 20_000 });
    answers.push(await sendNote({ url, key, agent: new Agent() }));
    expectAnswersOf(answers, [202]);
    await expectNothingLost(service, answers);
    expect(service.web()).toEqual([web]);
    expect(await service.stop()).toBe(0);
  });
});

function limitDescriptors(pid: number, limit: number): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`prlimit (util-linux) is needed to take file descriptors away: ${stderr}`);
}

function openIdly(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.destroy());
  socket.resume();
  return socket;
}
