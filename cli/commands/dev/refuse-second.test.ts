import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { announceServer } from "../../api/running-server.ts";
import { refuseSecond } from "./refuse-second.ts";

/** Another process of this machine: the one that started this. */
const pid = process.ppid;

function announced(url: string, server: Partial<Parameters<typeof announceServer>[1]> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-second-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  announceServer(dir, { pid, url, mode: "development", startedAt: "2026-11-21T10:00:00.000Z", ...server });
  return dir;
}

async function answeringUrl(status = 200): Promise<string> {
  const server = createServer((_, response) => response.writeHead(status).end()).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it("a second service of a project is refused in one line: who runs, where, and the way out", async () => {
  const url = await answeringUrl();
  await expect(refuseSecond(announced(url))).rejects.toMatchObject({
    message: `\`signalbox dev\` already serves this project on ${url} (process ${pid}).`,
    details: { code: "already_running", fix: expect.stringContaining(`kill ${pid}`), extra: { pid, url } },
  });
  await expect(refuseSecond(announced(url, { mode: "deployed" }))).rejects.toThrow(
    "`signalbox start` already serves this project",
  );
});

it("one that was killed, and one whose number another process has now, do not count", async () => {
  const url = await answeringUrl();
  await expect(refuseSecond(announced(url, { pid: 999_999_99 }))).resolves.toBeUndefined();
  await expect(refuseSecond(announced("http://127.0.0.1:9"))).resolves.toBeUndefined();
  await expect(refuseSecond(announced(await answeringUrl(404)))).resolves.toBeUndefined();
});
