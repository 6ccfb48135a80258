import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { Agent } from "node:http";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectAnswersOf, expectNothingLost, statusOf } from "./expectations.ts";
import { prepareFaultyProject, startFaultyService } from "./faulty-service.ts";
import { type Answer, sendNote } from "./load.ts";

const spare = 12;
/** Opened every 100 ms: the service closes idle connections after a while, and each frees a descriptor. */
const idle = 30;

describe("exhausted file descriptors", () => {
  it("by idle connections: open connections are served and kept, new ones are rejected, and all are served once descriptors are free", async () => {
    const service = await startFaultyService(prepareFaultyProject());
    const { url, key } = service;
    const [receiver = 0] = service.receiver();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const answers: Answer[] = [];
    const send = async () => answers.push(await sendNote({ url, key, agent }));
    // Files that are loaded only once are open by then.
    for (let n = 0; n < 5; n += 1) await send();
    await vi.waitFor(async () => expect((await statusOf(`${url}/readyz`)).status).toBe(200));

    const used = readdirSync(`/proc/${receiver}/fd`).length;
    limitDescriptors(receiver, used + spare);
    const stopFilling = fillWithIdle(Number(new URL(url).port));
    onTestFinished(stopFilling);
    /** Over a connection of its own. */
    const sendAlone = async () => {
      const answer = await sendNote({ url, key, agent: new Agent() });
      if (answer.status !== 0) answers.push(answer);
      return answer.status;
    };
    await expect.poll(sendAlone).toBe(0);
    for (let n = 0; n < 30; n += 1) await send();
    expectAnswersOf(answers, [202]);
    await expect.poll(sendAlone).toBe(0);

    stopFilling();
    await vi.waitFor(async () => expect((await statusOf(`${url}/healthz`)).status).toBe(200));
    answers.push(await sendNote({ url, key, agent: new Agent() }));
    expectAnswersOf(answers, [202]);
    await expectNothingLost(service, answers);
    expect(service.receiver()).toEqual([receiver]);
    expect(await service.stop()).toBe(0);
  });
});

function limitDescriptors(pid: number, limit: number): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--nofile=${limit}:`], { encoding: "utf8" });
  if (status !== 0) throw new Error(`prlimit (util-linux) is needed to take file descriptors away: ${stderr}`);
}

/** Keeps all descriptors in use by idle connections, until it is stopped. */
function fillWithIdle(port: number): () => void {
  const sockets = new Set<Socket>();
  const fill = () => {
    for (let n = 0; n < idle; n += 1) sockets.add(openIdly(port, (socket) => sockets.delete(socket)));
  };
  fill();
  const timer = setInterval(fill, 100);
  return () => {
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
}

function openIdly(port: number, onClose: (socket: Socket) => void): Socket {
  const socket = connect({ port, host: "127.0.0.1" });
  socket.on("error", () => socket.destroy());
  socket.on("end", () => socket.destroy());
  socket.on("close", () => onClose(socket));
  socket.resume();
  return socket;
}
