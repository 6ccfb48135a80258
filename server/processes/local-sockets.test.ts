import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { connectLocally, createLocalSockets, listenLocally } from "./local-sockets.ts";

it("the sockets are in a folder that only this user can enter, and the folder goes with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "socket-"));
  const { web, runs, remove } = await createLocalSockets({ folder, platform: "linux" });
  expect(dirname(dirname(web.socket))).toBe(folder);
  expect(dirname(runs.socket)).toBe(dirname(web.socket));
  expect(statSync(dirname(web.socket)).mode & 0o777).toBe(0o700);
  for (const { secret } of [web, runs]) expect(secret).toMatch(/^[\w-]{43}$/);
  expect(runs.secret).not.toBe(web.secret);
  await remove();
  expect(existsSync(dirname(web.socket))).toBe(false);
});

it("the paths fit into the address of a socket, regardless of the length of the temporary folder's path", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "socket-")), "long".repeat(30));
  mkdirSync(folder);
  const { web, runs, remove } = await createLocalSockets({ folder, platform: "linux" });
  onTestFinished(remove);
  for (const { socket } of [web, runs]) expect(Buffer.byteLength(socket)).toBeLessThan(104);
});

it("a process that was killed leaves its socket behind, and the next one listens on the same", async () => {
  const { runs, remove } = await createLocalSockets();
  onTestFinished(remove);
  await expect(connectLocally(runs.socket)).rejects.toThrow("ENOENT");
  writeFileSync(runs.socket, "");
  const { promise: accepted, resolve } = Promise.withResolvers<void>();
  const server = await listenLocally(runs.socket, (connection) => {
    connection.destroy();
    resolve();
  });
  (await connectLocally(runs.socket)).destroy();
  await accepted;
  await server.close();
});

it("on Windows they are named pipes that cannot be guessed", async () => {
  const { web, runs } = await createLocalSockets({ folder: "C:\\", platform: "win32" });
  for (const { socket } of [web, runs]) expect(socket).toMatch(/^\\\\\.\\pipe\\signalbox-[0-9a-f]{32}$/);
  expect(runs.socket).not.toBe(web.socket);
});

it("folders of services that were killed are removed at the next start, and no others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "socket-"));
  const { pid = 0 } = spawnSync(process.execPath, ["--version"]);
  const names = [`signalbox-${pid}-aaaaaa`, `signalbox-${process.pid}-bbbbbb`, `signalbox-${pid}`];
  const listening = { web: `signalbox-${pid}-cccccc`, runs: `signalbox-${pid}-dddddd` };
  for (const name of [...names, ...Object.values(listening)]) mkdirSync(join(folder, name));
  for (const [socket, name] of Object.entries(listening)) {
    const server = createServer().listen(join(folder, name, socket));
    onTestFinished(() => void server.close());
    await once(server, "listening");
  }
  const { web } = await createLocalSockets({ folder, platform: "linux" });
  expect(readdirSync(folder).toSorted()).toEqual(
    [...names.slice(1), ...Object.values(listening), basename(dirname(web.socket))].toSorted(),
  );
});
