import { fork } from "node:child_process";
import { join } from "node:path";

export interface Server {
  url: string;
  pid: number | undefined;
  close(): void;
}

/** Starts one of the programs in `servers/`, which sends its port when it listens. */
export async function startServer(name: "plain" | "reference", args: string[] = []): Promise<Server> {
  const child = fork(join(import.meta.dirname, `../servers/${name}.ts`), args);
  const { port } = await new Promise<{ port: number }>((resolve, reject) => {
    child.once("message", (message) => resolve(message as { port: number }));
    child.once("exit", (code) => reject(new Error(`The ${name} server ended with ${code}`)));
  });
  return { url: `http://127.0.0.1:${port}/triggers/bench`, pid: child.pid, close: () => child.disconnect() };
}
