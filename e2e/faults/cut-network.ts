import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** A connection to a server that can drop all packets silently: without a reset or a rejection. */
export interface Cut {
  host: string;
  port: number;
  cut(): void;
  heal(): void;
  /** The prefix of a command that uses this connection. */
  prefix: readonly string[];
  close(): Promise<void> | void;
}

/**
 * A proxy that can stop forwarding. It buffers the bytes sent meanwhile, and forwards them when it is restored, like
 * retransmitted packets. New connections are accepted and not answered. It needs no privileges, and simulates a network
 * that drops packets: both kernels keep their connections open.
 */
export async function cutByProxy(to: { host: string; port: number }): Promise<Cut> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ ...to, allowHalfOpen: true });
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (isCut) from.pause();
      from.on("data", (chunk) => void (into.destroyed || into.write(chunk)));
      from.on("end", () => into.end());
      from.on("error", () => into.destroy());
      from.on("close", () => {
        sockets.delete(from);
        // The other end of a cut connection is not notified, either.
        if (!isCut) into.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.");
  return {
    host: "127.0.0.1",
    port: address.port,
    prefix: [],
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    heal() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
      await once(server, "close");
    },
  };
}

/**
 * A separate network namespace, connected by a pair of interfaces. When it is cut, its packets are dropped. `null`: it
 * cannot be created, which needs root and iproute2.
 */
export function cutByNamespace(p: { name: string; net: string; port: number }): Cut | null {
  const { name, net } = p;
  const inside = `${name}i`;
  const steps = [
    `netns add ${name}`,
    `link add ${name}o type veth peer name ${inside}`,
    `link set ${inside} netns ${name}`,
    `addr add ${net}.1/24 dev ${name}o`,
    `link set ${name}o up`,
    `-n ${name} addr add ${net}.2/24 dev ${inside}`,
    `-n ${name} link set ${inside} up`,
    `-n ${name} link set lo up`,
  ];
  const close = () => {
    ip(`netns del ${name}`);
    ip(`link del ${name}o`);
  };
  if (!steps.every(ip)) {
    close();
    return null;
  }
  return {
    host: `${net}.1`,
    port: p.port,
    prefix: ["ip", "netns", "exec", name],
    // The interface at the other end is removed: packets are lost without an error.
    cut: () => void ip(`link set ${name}o down`),
    heal() {
      ip(`link set ${name}o up`);
      ip(`addr replace ${net}.1/24 dev ${name}o`);
    },
    close,
  };
}

function ip(args: string): boolean {
  return spawnSync("ip", args.split(" "), { stdio: "ignore" }).status === 0;
}
