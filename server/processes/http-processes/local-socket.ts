import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebSocketAddress } from "../../http/forward/forwarder.ts";

/** MacOS has 104 bytes for the path of a Unix socket, Linux 108, with a byte at the end. */
const maxPathBytes = 103;
const socketName = "web";
const ownFolder = /^signalbox-web-(\d+)-\w{6}$/;

/**
 * Makes the address on which web listens for the receiver: a Unix socket in a folder that only this user can enter, or
 * a named pipe on Windows. Web creates the socket; `remove` removes the folder. Folders of services that were killed
 * are removed, too.
 */
export async function createLocalSocket(
  { folder, platform }: { folder: string; platform: NodeJS.Platform } = {
    folder: tmpdir(),
    platform: process.platform,
  },
): Promise<WebSocketAddress & { remove(): Promise<void> }> {
  const secret = randomBytes(32).toString("base64url");
  if (platform === "win32")
    return { socket: `\\\\.\\pipe\\signalbox-${randomBytes(16).toString("hex")}`, secret, remove: async () => {} };
  const prefix = `signalbox-web-${process.pid}-`;
  const isTooLong = Buffer.byteLength(join(folder, `${prefix}XXXXXX`, socketName)) > maxPathBytes;
  const parent = isTooLong ? "/tmp" : folder;
  await removeAbandoned(parent).catch(() => {});
  const own = await mkdtemp(join(parent, prefix));
  return { socket: join(own, socketName), secret, remove: () => rm(own, { recursive: true, force: true }) };
}

/** Folders whose supervisor does not run and whose web does not listen. Those of other users cannot be removed. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = ownFolder.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid)) || (await isListening(join(parent, name, socketName)))) continue;
    await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** A process of another user runs, too: it cannot be signalled. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** Containers that share a folder do not see each other's processes. */
function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket);
    connection.once("connect", () => resolve(true)).once("error", () => resolve(false));
    connection.once("close", () => connection.destroy()).end();
  });
}
