import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createLocalSocket } from "./local-socket.ts";

it("the socket is in a folder that only this user can enter, and the folder goes with it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "socket-"));
  const { socket, secret, remove } = await createLocalSocket({ folder, platform: "linux" });
  expect(socket.startsWith(folder)).toBe(true);
  expect(statSync(join(socket, "..")).mode & 0o777).toBe(0o700);
  expect(secret).toMatch(/^[\w-]{43}$/);
  await remove();
  expect(existsSync(join(socket, ".."))).toBe(false);
});

it("the path fits into the address of a socket, however long the path of the temporary folder is", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "socket-")), "long".repeat(30));
  mkdirSync(folder);
  const { socket, remove } = await createLocalSocket({ folder, platform: "linux" });
  onTestFinished(remove);
  expect(Buffer.byteLength(socket)).toBeLessThan(104);
});

it("on Windows it is a named pipe that cannot be guessed", async () => {
  const all = await Promise.all(
    Array.from({ length: 2 }, () => createLocalSocket({ folder: "C:\\", platform: "win32" })),
  );
  expect(all[0]?.socket).toMatch(/^\\\\\.\\pipe\\signalbox-[0-9a-f]{32}$/);
  expect(new Set(all.map(({ socket }) => socket)).size).toBe(2);
});

it("folders of services that were killed are removed at the next start, and no others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "socket-"));
  const { pid = 0 } = spawnSync(process.execPath, ["--version"]);
  const names = [`signalbox-web-${pid}-aaaaaa`, `signalbox-web-${process.pid}-bbbbbb`, `signalbox-${pid}`];
  const listening = `signalbox-web-${pid}-cccccc`;
  for (const name of [...names, listening]) mkdirSync(join(folder, name));
  const web = createServer().listen(join(folder, listening, "web"));
  onTestFinished(() => void web.close());
  await once(web, "listening");
  const { socket } = await createLocalSocket({ folder, platform: "linux" });
  expect(readdirSync(folder).toSorted()).toEqual([...names.slice(1), listening, basename(dirname(socket))].toSorted());
});
