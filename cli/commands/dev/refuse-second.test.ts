import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { announceServer } from "../../api/running-server.ts";
import { requireSingleService } from "./refuse-second.ts";

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

it("a second service of a project is rejected with the URL, the process id and the fix", async () => {
  const url = await answeringUrl();
  await expect(requireSingleService(announced(url))).rejects.toMatchObject({
    message: `\`signalbox dev\` already serves this project on ${url} (process ${pid}).`,
    details: { code: "already_running", fix: expect.stringContaining(`kill ${pid}`), extra: { pid, url } },
  });
  await expect(requireSingleService(announced(url, { mode: "deployed" }))).rejects.toThrow(
    "`signalbox start` already serves this project",
  );
});

it("killed services and reused process ids are ignored", async () => {
  const url = await answeringUrl();
  await expect(requireSingleService(announced(url, { pid: 999_999_99 }))).resolves.toBeUndefined();
  await expect(requireSingleService(announced("http://127.0.0.1:9"))).resolves.toBeUndefined();
  await expect(requireSingleService(announced(await answeringUrl(404)))).resolves.toBeUndefined();
});
