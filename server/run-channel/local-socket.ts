import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { type Socket, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a worker needs to reach its host. */
export interface ChannelAddress {
  path: string;
  secret: string;
}

/** Longer paths of Unix sockets are cut off by some systems. */
const maxPathBytes = 100;

/**
 * An address that only this user can reach: a Unix socket in a folder of its own (mode 0700), or a named pipe on
 * Windows. `remove` deletes the folder.
 */
export async function createChannelAddress(): Promise<ChannelAddress & { remove(): Promise<void> }> {
  const secret = randomBytes(24).toString("base64url");
  if (process.platform === "win32") {
    const name = randomBytes(12).toString("hex");
    return { path: `\\\\.\\pipe\\signalbox-${name}`, secret, remove: async () => {} };
  }
  const folder = await makeFolder(tmpdir()).catch(() => makeFolder("/tmp"));
  return { path: join(folder, "runs"), secret, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function makeFolder(parent: string): Promise<string> {
  const prefix = join(parent, "signalbox-");
  if (Buffer.byteLength(`${prefix}XXXXXX/runs`) > maxPathBytes) throw new Error(`${parent} is too long for a socket.`);
  return await mkdtemp(prefix);
}

/** Listens on the path. The socket of a host that was killed is replaced. */
export async function listenLocally(
  path: string,
  onConnection: (socket: Socket) => void,
): Promise<{ close(): Promise<void> }> {
  if (process.platform !== "win32") rmSync(path, { force: true });
  const server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // A connection that could not be accepted: the worker tries again.
  server.on("error", () => {});
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

export function connectLocally(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => {
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("error", reject);
  });
}
