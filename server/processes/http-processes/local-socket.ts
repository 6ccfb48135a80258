import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WebSocketAddress } from "../../http/forward/forwarder.ts";

/** MacOS has 104 bytes for the path of a Unix socket, Linux 108, with a byte at the end. */
const maxPathBytes = 103;

/**
 * Makes the address on which web listens for the receiver: a Unix socket in a folder that only this user can enter, or
 * a named pipe on Windows. Web creates the socket; `remove` removes the folder.
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
  const prefix = "signalbox-";
  const pathIn = (parent: string) => join(parent, `${prefix}XXXXXX`, "web");
  const parent = Buffer.byteLength(pathIn(folder)) > maxPathBytes ? "/tmp" : folder;
  const own = await mkdtemp(join(parent, prefix));
  return { socket: join(own, "web"), secret, remove: () => rm(own, { recursive: true, force: true }) };
}
