import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A socket that only this user can reach, and the secret that the process behind it expects. */
export interface LocalAddress {
  socket: string;
  secret: string;
}

/** The addresses at which processes of one service reach each other. */
export interface LocalSockets {
  /** Web listens there for the receiver. */
  web: LocalAddress;
  /** The run host listens there for workers. */
  runs: LocalAddress;
  /** Removes the sockets. */
  remove(): Promise<void>;
}

/** MacOS has 104 bytes for the path of a Unix socket, Linux 108, with a byte at the end. */
const maxPathBytes = 103;
const names = ["web", "runs"] as const;
const ownFolder = /^signalbox-(\d+)-\w{6}$/;

/**
 * Creates the addresses: Unix sockets in a folder that only this user can enter, or named pipes on Windows. The
 * listening processes create the sockets. Folders of services that were killed are removed, too.
 */
export async function createLocalSockets(
  { folder, platform }: { folder: string; platform: NodeJS.Platform } = {
    folder: tmpdir(),
    platform: process.platform,
  },
): Promise<LocalSockets> {
  if (platform === "win32") {
    const createPipe = () => addressAt(`\\\\.\\pipe\\signalbox-${randomBytes(16).toString("hex")}`);
    return { web: createPipe(), runs: createPipe(), remove: async () => {} };
  }
  const prefix = `signalbox-${process.pid}-`;
  const isTooLong = Buffer.byteLength(join(folder, `${prefix}XXXXXX`, "runs")) > maxPathBytes;
  const parent = isTooLong ? "/tmp" : folder;
  await removeAbandoned(parent).catch(() => {});
  const own = await mkdtemp(join(parent, prefix)).catch(() => mkdtemp(join("/tmp", prefix)));
  return {
    web: addressAt(join(own, "web")),
    runs: addressAt(join(own, "runs")),
    remove: () => rm(own, { recursive: true, force: true }),
  };
}

const addressAt = (socket: string): LocalAddress => ({ socket, secret: randomBytes(32).toString("base64url") });

/** Removes folders whose supervisor has ended and in which no process listens. Other users' folders cannot be removed. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = ownFolder.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    // Containers that share a folder do not see each other's processes.
    const listening = await Promise.all(names.map((socket) => isListening(join(parent, name, socket))));
    if (!listening.includes(true)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
}

/** A process of another user cannot be signaled, but is running. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function isListening(socket: string): Promise<boolean> {
  return connectLocally(socket).then(
    (connection) => {
      connection.destroy();
      return true;
    },
    () => false,
  );
}

/** Removes the socket of a process that was killed, and creates its folder again if it was deleted. */
export async function prepareSocketPath(socket: string): Promise<void> {
  if (process.platform === "win32") return;
  await mkdir(dirname(socket), { recursive: true, mode: 0o700 });
  await rm(socket, { force: true });
}

/** Listens on a local socket. The socket of a process that was killed is replaced. */
export async function listenLocally(
  socket: string,
  onConnection: (connection: Socket) => void,
): Promise<{ close(): Promise<void> }> {
  await prepareSocketPath(socket);
  const server = createServer(onConnection);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(socket, resolve);
  });
  // A connection could not be accepted. The other process tries again.
  server.on("error", () => {});
  return { close: () => new Promise((resolve) => server.close(() => resolve())) };
}

export function connectLocally(socket: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => {
      connection.off("error", reject);
      resolve(connection);
    });
    connection.once("error", reject);
  });
}
