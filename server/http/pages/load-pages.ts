import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type IncomingMessage, Server, type ServerResponse } from "node:http";
import { join } from "node:path";
import type { Duplex } from "node:stream";

/** The pages, for the HTTP server of the web process. */
export interface Pages {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The development server's reload socket; absent in the packed product. */
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  close(): Promise<void>;
}

export interface PagesOptions {
  /** `source`: Next's development server over `app/`. `built`: the output of `next build`. */
  mode: "source" | "built";
  /** The package: the repository, or node_modules/signalbox. */
  dir: string;
  host: string;
  port: number;
}

/** The part of Next that is used here. Its own types would change `process.env` for the whole server. */
type CreateNext = (options: { dev: boolean; dir: string; hostname: string; port: number; httpServer: Server }) => {
  prepare(): Promise<void>;
  getRequestHandler(): (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  close(): Promise<void>;
};

/** Starts Next inside this process. It neither listens, nor handles signals, nor changes the working directory. */
export async function loadPages(options: PagesOptions): Promise<Pages> {
  const isDevelopment = options.mode === "source";
  const dir = isDevelopment ? options.dir : join(options.dir, "dist", "pages");
  setNextEnvironment(isDevelopment);
  // Resolved from `dir`: the packed product contains the version of Next that built its pages.
  const load = createRequire(join(dir, "package.json"));
  if (isDevelopment) rejectVersionCheck();
  else await useBuiltConfig(dir, load);
  const next = load("next") as CreateNext;
  // Next would attach itself to the server of its first request. This server never listens.
  const upgrades = new Server();
  const app = next({ dev: isDevelopment, dir, hostname: options.host, port: options.port, httpServer: upgrades });
  await app.prepare();
  const handle = app.getRequestHandler();
  const pages: Pages = {
    handle: (request, response) => handle(request, response),
    close: () => app.close(),
  };
  if (isDevelopment) pages.upgrade = (request, socket, head) => void upgrades.emit("upgrade", request, socket, head);
  return pages;
}

/** Next reads these from the environment and from nowhere else. */
function setNextEnvironment(isDevelopment: boolean): void {
  Object.assign(process.env, {
    NODE_ENV: isDevelopment ? "development" : "production",
    NEXT_TELEMETRY_DISABLED: "1",
    NEXT_MANUAL_SIG_HANDLE: "true",
  });
}

/**
 * Next's development server requests its newest version from the npm registry, and no setting disables this. Signalbox
 * makes no outside requests.
 */
function rejectVersionCheck(): void {
  const original = globalThis.fetch;
  globalThis.fetch = (input, init) =>
    typeof input === "string" && input.endsWith("/-/package/next/dist-tags")
      ? Promise.reject(new Error("Not asked: development makes no outside requests."))
      : original(input, init);
}

/** The configuration with which the pages were built. Without it, Next looks for next.config and its toolchain. */
async function useBuiltConfig(dir: string, load: NodeJS.Require): Promise<void> {
  const { config } = JSON.parse(readFileSync(join(dir, ".next", "required-server-files.json"), "utf8")) as {
    config: unknown;
  };
  process.env["__NEXT_PRIVATE_STANDALONE_CONFIG"] = JSON.stringify(config);
  // Read in advance: Next caches it, and then does not print how long the read took.
  const { default: loadConfig } = load("next/dist/server/config") as {
    default(phase: string, dir: string): Promise<unknown>;
  };
  await loadConfig("phase-production-server", dir);
}
