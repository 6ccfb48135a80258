import { readFileSync } from "node:fs";
import { z } from "zod";
import type { OnCleanup } from "../../scripts/cleanups.ts";
import { childrenOf } from "../auditor/processes.ts";
import { getJson } from "../support/api.ts";
import { writeProject } from "../support/project.ts";
import { type Service, type ServiceOptions, signalbox, startService, withSharedService } from "../support/service.ts";

/** A deployed service that is reachable by anyone. */
export interface HostileService extends Service {
  projectDir: string;
  port: number;
  /** A webhook key for every endpoint. */
  key: string;
  /** Makes another such key. */
  createKey(name: string): string;
  /** An API token with the scope `admin`. */
  token: string;
  /** Makes another token. */
  createToken(scope: "read"): string;
  /** The peak memory of the receiver or the web process, in MiB, as the kernel counts it. */
  peakMemoryMb(): number;
  /** The CPU time that the receiver and the web process have used so far, in ms. */
  cpuMs(): number;
  pidOf(program: "receiver" | "web"): number;
  /** How many runs there are, of all triggers. */
  countRuns(): Promise<number>;
}

const files = {
  "workflows/note.ts": `import { defineWorkflow } from "signalbox/workflow";
import { z } from "zod";
export default defineWorkflow({ slug: "note", input: z.any(), run: () => null });
`,
  "triggers/signup.ts": trigger({ slug: "signup", request: "z.object({ name: z.string() })" }),
  "triggers/items.ts": trigger({
    slug: "items",
    request: "z.object({ items: z.array(z.object({ a: z.number(), b: z.email() })) })",
  }),
  "triggers/paid.ts": trigger({
    slug: "paid",
    endpoint: "billing",
    request: "z.object({ paid: z.literal(true), list: z.array(z.string()).optional() })",
  }),
  "triggers/owed.ts": trigger({
    slug: "owed",
    endpoint: "billing",
    request: "z.object({ owed: z.number(), list: z.array(z.string()).optional() })",
  }),
  "triggers/anything.ts": trigger({ slug: "anything", request: "z.any()" }),
};

const keySchema = z.object({ secret: z.string() });
const pageSchema = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullable() });

export interface HostileOptions {
  /** Default: `start`. */
  command?: "dev" | "start";
  files?: Record<string, string>;
  env?: NodeJS.ProcessEnv;
  port?: number;
  program?: string[];
}

/** Builds a project and starts it. Killed by `onCleanup`. Default: when the test ends. */
export async function startHostileService(p: HostileOptions = {}, onCleanup?: OnCleanup): Promise<HostileService> {
  const prepared = prepare(p, onCleanup);
  return toHostileService(await startService(prepared.options, onCleanup), prepared);
}

/**
 * `it` whose tests get the same service, `hostile`, started once for the file: for tests that count only what they made
 * themselves.
 */
export function withHostileService(p: HostileOptions = {}) {
  const prepared = Promise.withResolvers<Prepared>();
  const it = withSharedService((onCleanup) => {
    const made = prepare(p, onCleanup);
    prepared.resolve(made);
    return made.options;
  });
  return it.extend("hostile", { scope: "file" }, async ({ service }) =>
    toHostileService(service, await prepared.promise),
  );
}

interface Prepared {
  options: ServiceOptions;
  key: string;
  token: string;
  createKey(name: string): string;
  createToken(scope: string): string;
}

/** A project, built and with its keys where it is to be deployed. */
function prepare({ command = "start", files: more, ...given }: HostileOptions, onCleanup?: OnCleanup): Prepared {
  const projectDir = writeProject({ ...files, ...more }, onCleanup);
  const run = (...args: string[]): string => {
    const { status, stdout, stderr } = signalbox([...args, "--project", projectDir], { cwd: projectDir });
    if (status !== 0) throw new Error(`signalbox ${args.join(" ")} ended with ${status}: ${stderr}`);
    return stdout;
  };
  const create = (...args: string[]) => keySchema.parse(JSON.parse(run("keys", "create", ...args, "--json"))).secret;
  const createKey = (name: string) => create("--name", name);
  const createToken = (scope: string) => create("--api", "--scope", scope, "--name", `ci-${scope}`);
  const options = { projectDir, command, ...given };
  if (command === "dev") return { options, key: "", token: "", createKey, createToken };
  run("build");
  return { options, key: createKey("hooks"), token: createToken("admin"), createKey, createToken };
}

function toHostileService(service: Service, { options, key, token, createKey, createToken }: Prepared): HostileService {
  const headers: Record<string, string> = token === "" ? {} : { authorization: `Bearer ${token}` };
  const pidOf = (program: "receiver" | "web") => childrenOf(service.child.pid ?? 0, program)[0] ?? 0;
  return {
    ...service,
    pidOf,
    projectDir: options.projectDir,
    port: options.port ?? Number(new URL(service.url).port),
    key,
    createKey,
    token,
    createToken,
    peakMemoryMb: () => Math.max(peakMemoryOf(pidOf("receiver")), peakMemoryOf(pidOf("web"))),
    cpuMs: () => cpuOf(pidOf("receiver")) + cpuOf(pidOf("web")),
    async countRuns() {
      let runs = 0;
      for (let cursor: string | null = ""; cursor !== null;) {
        const page: z.infer<typeof pageSchema> = pageSchema.parse(
          await getJson(`${service.url}/api/v1/runs?limit=100${cursor && `&cursor=${cursor}`}`, headers),
        );
        runs += page.data.length;
        cursor = page.nextCursor;
      }
      return runs;
    },
  };
}

function trigger(p: { slug: string; endpoint?: string; request: string }): string {
  return `import { defineWebhookSource } from "signalbox/trigger";
import { z } from "zod";
import note from "../workflows/note";
export default defineWebhookSource({ slug: "${p.slug}", endpoint: "${p.endpoint ?? p.slug}", request: ${p.request} }).attach({ workflow: note });
`;
}

function cpuOf(pid: number): number {
  // In user and system mode, in ticks of 10 ms, behind the name in brackets (proc(5)).
  const [user, system] = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "")
    .split(" ")
    .slice(11, 13)
    .map(Number);
  if (user === undefined || system === undefined)
    throw new Error(`The kernel does not say how much CPU time process ${pid} had`);
  return (user + system) * 10;
}

function peakMemoryOf(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  if (kib === undefined) throw new Error(`The kernel does not say how much memory process ${pid} had`);
  return Number(kib) / 1024;
}
