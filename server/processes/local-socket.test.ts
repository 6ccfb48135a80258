import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { connectLocally, createLocalSocket, listenLocally } from "./local-socket.ts";

it.each(["web", "runs"] as const)(
  "the socket (%s) is in a folder that only this user can enter, and the folder goes with it",
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), "socket-"));
    const { socket, secret, remove } = await createLocalSocket(name, { folder, platform: "linux" });
    expect(socket.startsWith(folder)).toBe(true);
    expect(statSync(join(socket, "..")).mode & 0o777).toBe(0o700);
    expect(secret).toMatch(/^[\w-]{43}$/);
    await remove();
    expect(existsSync(join(socket, ".."))).toBe(false);
  },
);

it("the path fits into the address of a socket, however long the path of the temporary folder is", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "socket-")), "long".repeat(30));
  mkdirSync(folder);
  const { socket, remove } = await createLocalSocket("web", { folder, platform: "linux" });
  onTestFinished(remove);
  expect(Buffer.byteLength(socket)).toBeLessThan(104);
});

it("where the temporary folder has a long path, the socket is elsewhere, and works", async () => {
  vi.stubEnv("TMPDIR", `/tmp/${"long".repeat(40)}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { socket, remove } = await createLocalSocket("runs");
  onTestFinished(remove);
  expect(socket).toMatch(/^\/tmp\/signalbox-runs-\d+-\w+\/runs$/);
  const server = await listenLocally(socket, (connection) => connection.destroy());
  (await connectLocally(socket)).destroy();
  await server.close();
});

it("on Windows it is a named pipe that cannot be guessed", async () => {
  const all = await Promise.all(
    Array.from({ length: 2 }, () => createLocalSocket("web", { folder: "C:\\", platform: "win32" })),
  );
  expect(all[0]?.socket).toMatch(/^\\\\\.\\pipe\\signalbox-[0-9a-f]{32}$/);
  expect(new Set(all.map(({ socket }) => socket)).size).toBe(2);
});

it("folders of services that were killed are removed at the next start, and no others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "socket-"));
  const { pid = 0 } = spawnSync(process.execPath, ["--version"]);
  const abandoned = [`signalbox-web-${pid}-aaaaaa`, `signalbox-runs-${pid}-aaaaaa`];
  const others = [`signalbox-web-${process.pid}-bbbbbb`, `signalbox-${pid}`];
  const listening = { web: `signalbox-web-${pid}-cccccc`, runs: `signalbox-runs-${pid}-dddddd` };
  for (const name of [...abandoned, ...others, ...Object.values(listening)]) mkdirSync(join(folder, name));
  for (const [name, inFolder] of Object.entries(listening)) {
    const server = createServer().listen(join(folder, inFolder, name));
    onTestFinished(() => void server.close());
    await once(server, "listening");
  }
  const { socket } = await createLocalSocket("web", { folder, platform: "linux" });
  expect(readdirSync(folder).toSorted()).toEqual(
    [...others, ...Object.values(listening), basename(dirname(socket))].toSorted(),
  );
});
