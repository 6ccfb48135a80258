import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { SettingsError } from "../config/environment.ts";
import { type ManifestEnvironment, manifestSchema } from "../contract/project/manifest.ts";
import { containsWord } from "../project/verification-secrets.ts";

const processStartSchema = z.object({
  projectDir: z.string(),
  mode: z.enum(["development", "deployed"]),
  flags: z.object({ port: z.number().optional(), host: z.string().optional() }).optional(),
  web: z.object({ socket: z.string(), secret: z.string() }).optional(),
  pool: z.enum(["shared", "isolated"]).optional(),
  workerId: z.string().optional(),
  runs: z.object({ socket: z.string(), secret: z.string() }).optional(),
  workers: z.object({ known: z.array(z.string()), held: z.array(z.string()) }).optional(),
});

/** The environment of a child process: the environment of the parent and the instructions of the supervisor. */
export function childEnvironment(
  start: z.infer<typeof processStartSchema>,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // By default, glibc has an arena per thread, and Node has a dozen threads. Two arenas save some megabytes per
  // process.
  return { MALLOC_ARENA_MAX: "2", ...env, SIGNALBOX_PROCESS: JSON.stringify(start) };
}

/** The variables whose names are needed, of this environment. */
export function pickEnvironment(
  isNeeded: (name: string) => boolean,
  env: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  // A copy: the types of Next make NODE_ENV required, but it may be unset.
  const picked = { ...env };
  for (const name of Object.keys(env)) if (!isNeeded(name)) delete picked[name];
  return picked;
}

/** Adds the variables that another build of the project needs. Existing variables keep their values. */
export function extendEnvironment(env: NodeJS.ProcessEnv): void {
  Object.assign(process.env, { ...env, ...process.env });
}

/** The instructions of the supervisor for this child process (`ProcessStart` in server/processes/protocol.ts). */
export function readProcessStart(env: NodeJS.ProcessEnv = process.env): z.infer<typeof processStartSchema> {
  const given = env["SIGNALBOX_PROCESS"];
  if (!given)
    throw new SettingsError("`signalbox dev` and `signalbox start` start this program. Do not start it yourself.");
  return processStartSchema.parse(JSON.parse(given));
}

/** The code of a build, as text. */
interface BuiltCode {
  /** The part that the receiver and the web process load: triggers, with the secrets of their `verify`. */
  sources: string;
  /** The part that workers load: triggers, workflows, agents and their imports. One string for each file. */
  code: readonly string[];
}

/** Variables of Signalbox, of Node, of the system and of the libraries of these processes. */
const webVariables =
  /^(SIGNALBOX_.*|PORT|HOST|HOSTNAME|(NODE|NEXT|__NEXT|OTEL|UV|LC|LD|DYLD|MALLOC|SSL_CERT|XDG|FAKETIME)_.*|PG[A-Z]+|FAKETIME|PATH|HOME|USER|LOGNAME|SHELL|PWD|TZ|TERM|LANG|LANGUAGE|TMPDIR|TMP|TEMP|CI|DEBUG|NO_COLOR|FORCE_COLOR|HTTPS?_PROXY|ALL_PROXY|NO_PROXY|https?_proxy|all_proxy|no_proxy|SystemRoot|windir|ComSpec|APPDATA|LOCALAPPDATA|USERPROFILE)$/i;

/** Variables that the packages of model providers read; their code may be missing from the build. */
const providerVariables =
  /(^|_)API_(KEY|TOKEN)$|^(ANTHROPIC|OPENAI|AZURE_OPENAI)_|^AWS_(SECRET_ACCESS_KEY|SESSION_TOKEN|BEARER_TOKEN_.*)$|^GOOGLE_APPLICATION_CREDENTIALS$|^(HF|VERCEL_OIDC)_TOKEN$/;

/**
 * Selects the environment variables of the receiver and the web process: all but those that only workers read,
 * according to the current build. A key of a model provider is included only if a trigger names it. If triggers compute
 * the names of variables when they run, all variables are included but those of model providers.
 */
export function selectWebVariables(stateDir: string): (name: string) => boolean {
  const built = readBuiltCode(stateDir);
  const code = built.code.join("\n");
  const mayReadAny = readsComputedNames(built.sources);
  return (name) => {
    if (webVariables.test(name) || containsWord(built.sources, name)) return true;
    return !providerVariables.test(name) && (mayReadAny || !containsWord(code, name));
  };
}

/** Whether the code reads `process.env` without a literal name: `process.env[name]`, `const { A } = process.env`. */
function readsComputedNames(sources: string): boolean {
  return (
    /process\??\.env\b(?!\s*\??\.\s*[\w$])(?!\s*(\?\.)?\s*\[\s*["'])/.test(sources) ||
    /["'](node:)?process["']|[{,]\s*env\b[^}]*\}\s*=\s*(globalThis\.)?process\b/.test(sources)
  );
}

/** A build that cannot be read is empty: the receiver reports why it cannot start. */
function readBuiltCode(stateDir: string): BuiltCode {
  try {
    const manifest = readManifestOf(stateDir);
    if (!manifest) return { sources: "", code: [] };
    const folder = join(stateDir, manifest.folder);
    return { sources: readFileSync(join(folder, manifest.sources), "utf8"), code: readCode(folder) };
  } catch {
    return { sources: "", code: [] };
  }
}

/** What a build that workers may execute reads of its environment. */
export interface KeptEnvironment extends ManifestEnvironment {
  /** All code of the build. */
  readCode: () => readonly string[];
}

/** Those of the current build, and of the builds of open runs. */
export function readKeptEnvironments(stateDir: string): readonly KeptEnvironment[] {
  const builds = join(stateDir, "builds");
  const kept = existsSync(builds) ? readdirSync(builds).filter((name) => !name.startsWith(".")) : [];
  const current = readManifestOf(stateDir);
  const others = kept
    .filter((name) => `builds/${name}` !== current?.folder)
    .map((name) => readManifestOf(join(builds, name)));
  return [current, ...others].flatMap((manifest) =>
    manifest ? [{ ...manifest.environment, readCode: () => readCode(join(stateDir, manifest.folder)) }] : [],
  );
}

/** `null`: there is none, or it is removed meanwhile. */
function readManifestOf(folder: string) {
  try {
    return manifestSchema
      .pick({ folder: true, sources: true, environment: true })
      .parse(JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8")));
  } catch {
    return null;
  }
}

/** Empty if the build is removed meanwhile. */
function readCode(folder: string): string[] {
  try {
    return readdirSync(join(folder, "code"), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.m?js$/.test(file))
      .map((file) => readFileSync(join(folder, "code", file), "utf8"));
  } catch {
    return [];
  }
}
