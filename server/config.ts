import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { randomBytes } from "node:crypto";
import type { z } from "zod";
import {
  oidcSettingsSchema,
  type AlertRules,
  type ProjectSettings,
  projectSettingsSchema,
  type RateLimits,
  readAlertRules,
} from "./contract/project/settings.ts";
import { readTracingSettings, type TracingSettings } from "./contract/tracing-settings.ts";
import { type LogThreshold, parseEnvironment, SettingsError } from "./config/environment.ts";
import { isOwnAddress } from "./config/own-address.ts";
import { isSource } from "./paths.ts";

export type Mode = "development" | "deployed";

interface PostgresDatabase {
  kind: "postgres";
  url: string;
  /** Set if `url` leads to a pooler in transaction mode: to the server itself, for what needs a session. */
  directUrl?: string;
}

export interface Settings {
  mode: Mode;
  projectDir: string;
  /** `<project>/.signalbox` */
  stateDir: string;
  /** A folder in which builds outlive this machine, for containers. `null`: none. */
  buildsDir: string | null;
  name: string;
  host: string;
  port: number;
  /** `null`: derived from host and port. No trailing slash. */
  baseUrl: string | null;
  database: { kind: "sqlite"; file: string } | PostgresDatabase;
  maxBodyBytes: number;
  limits: RateLimits & { connections: number };
  workers: number;
  workerConcurrency: number;
  workerMemoryMb: number;
  /** How long a stop waits for steps in flight. */
  drainMs: number;
  /** `keys`: of 32 bytes each. The first one encrypts, and all decrypt. */
  encryption: EncryptionSettings;
  /** Retention by age, by count and by size in MB. `null`: nothing is removed. `disk`: three quarters of the disk. */
  retention: {
    days: number | null;
    deliveries: number | null;
    maxSize: number | "disk" | null;
    auditDays: number | null;
  };
  /** `null`: people sign in with passwords only. */
  oidc: OidcSettings | null;
  /** Trusted reverse proxies: IP addresses and CIDR ranges. */
  trustProxy: readonly string[];
  /** `null`: no tracing. */
  tracing: TracingSettings | null;
  /** `null`: no alerts. */
  alerts: AlertSettings | null;
  /** Pages as built for users, or from their sources with Next's own development server (this repository only). */
  pages: "built" | "source";
}

export interface EncryptionSettings {
  /** Whether the content of deliveries and runs is encrypted. */
  isOn: boolean;
  keys: readonly Uint8Array[];
}

export interface AlertSettings {
  rules: AlertRules;
  destinations: AlertDestinations;
}

/** Only from the environment: none of it is in the build, in pages or in logs. `null`: nothing is sent there. */
export interface AlertDestinations {
  /** `secret`: the key of the signature, decoded. */
  webhook: { url: string; secret: Uint8Array } | null;
  slack: { url: string } | null;
}

/** Options of the command line. They take precedence over the environment. */
export interface SettingsFlags {
  port?: number;
  host?: string;
}

/** The folder of a project that holds its builds, and its store by default. */
export function stateDirOf(projectDir: string): string {
  return join(resolve(projectDir), ".signalbox");
}

/** Merges flags, environment, `signalbox.config.ts` and defaults, in that order. Throws SettingsError. */
export function readSettings(p: {
  projectDir: string;
  mode: Mode;
  fromProject: ProjectSettings;
  flags?: SettingsFlags;
  env?: NodeJS.ProcessEnv;
}): Settings {
  const env = parseEnvironment(p.env ?? process.env);
  const { fromProject, flags = {} } = p;
  const projectDir = resolve(p.projectDir);
  const stateDir = stateDirOf(projectDir);
  const database = withDirectUrl(
    readDatabaseUrl(
      env.SIGNALBOX_DATABASE_URL ?? fromProject.databaseUrl ?? "file:./.signalbox/signalbox.db",
      projectDir,
    ),
    { directUrl: env.SIGNALBOX_DATABASE_DIRECT_URL, projectDir },
  );
  return {
    mode: p.mode,
    projectDir,
    stateDir,
    buildsDir: env.SIGNALBOX_BUILDS_DIR ? resolve(projectDir, env.SIGNALBOX_BUILDS_DIR) : null,
    name: fromProject.name ?? basename(projectDir),
    host:
      flags.host ??
      env.SIGNALBOX_HOST ??
      (env.HOST !== undefined && isOwnAddress(env.HOST) ? env.HOST : undefined) ??
      fromProject.host ??
      (p.mode === "development" ? "127.0.0.1" : "0.0.0.0"),
    port: flags.port ?? env.PORT ?? fromProject.port ?? (p.mode === "development" ? 3002 : 3000),
    baseUrl: (env.SIGNALBOX_BASE_URL ?? fromProject.baseUrl ?? null)?.replace(/\/+$/, "") ?? null,
    database,
    maxBodyBytes: env.SIGNALBOX_MAX_BODY_BYTES ?? fromProject.maxBodyBytes ?? 1024 * 1024,
    limits: { ...fromProject.limits, connections: fromProject.limits?.connections ?? 5_000 },
    workers: env.SIGNALBOX_WORKERS ?? fromProject.workers ?? 1,
    workerConcurrency: fromProject.workerConcurrency ?? 20,
    workerMemoryMb: fromProject.workerMemoryMb ?? 1024,
    // A person waits for `dev` to end, and no sender for its runs.
    drainMs: p.mode === "development" ? 1_000 : (env.SIGNALBOX_DRAIN_SECONDS ?? fromProject.drainSeconds ?? 30) * 1_000,
    oidc: readOidc(env, fromProject.oidc),
    alerts: readAlerts(env, fromProject),
    encryption: {
      isOn: env.SIGNALBOX_ENCRYPTION ?? fromProject.encryption ?? false,
      keys: readEncryptionKeys(env, projectDir),
    },
    trustProxy: env.SIGNALBOX_TRUST_PROXY ?? fromProject.trustProxy ?? [],
    retention: {
      days: (env.SIGNALBOX_RETENTION_DAYS ?? fromProject.retentionDays) || null,
      deliveries: (env.SIGNALBOX_RETENTION_DELIVERIES ?? fromProject.retentionDeliveries) || null,
      maxSize: readMaxSize(database.kind, env.SIGNALBOX_RETENTION_MB ?? fromProject.retentionMb),
      auditDays: (env.SIGNALBOX_AUDIT_RETENTION_DAYS ?? fromProject.auditRetentionDays ?? 365) || null,
    },
    tracing: readTracing(p.env ?? process.env, fromProject.name ?? basename(projectDir)),
    pages: isSource && (p.env ?? process.env)["SIGNALBOX_PAGES"] !== "built" ? "source" : "built",
  };
}

function readMaxSize(kind: "sqlite" | "postgres", megabytes: number | undefined): number | "disk" | null {
  if (kind === "sqlite") return megabytes === undefined ? "disk" : megabytes || null;
  if (!megabytes) return null;
  throw new SettingsError(
    "retentionMb is for SQLite: a database on a server has its own disk. Use retentionDays or retentionDeliveries.",
  );
}

export type OidcSettings = Required<z.infer<typeof oidcSettingsSchema>>;

/**
 * Merges the file and the environment, which usually has the client secret. All required settings must be given, or
 * none.
 */
function readOidc(env: ReturnType<typeof parseEnvironment>, fromProject: ProjectSettings["oidc"]): OidcSettings | null {
  const given = {
    issuer: env.SIGNALBOX_OIDC_ISSUER,
    clientId: env.SIGNALBOX_OIDC_CLIENT_ID,
    clientSecret: env.SIGNALBOX_OIDC_CLIENT_SECRET,
    domains: env.SIGNALBOX_OIDC_DOMAINS?.split(","),
    role: env.SIGNALBOX_OIDC_ROLE,
  };
  const fromEnvironment = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  if (fromProject === undefined && Object.keys(fromEnvironment).length === 0) return null;
  const parsed = oidcSettingsSchema.safeParse({ ...fromProject, ...fromEnvironment });
  if (parsed.success) return { role: "viewer", name: new URL(parsed.data.issuer).hostname, ...parsed.data };
  const [issue] = parsed.error.issues;
  throw new SettingsError(
    `oidc.${issue?.path.join(".") ?? ""}: ${issue?.message ?? "invalid value"} (set it in signalbox.config.ts, or with SIGNALBOX_OIDC_ISSUER, _CLIENT_ID, _CLIENT_SECRET, _DOMAINS and _ROLE).`,
  );
}

/** Messages never repeat a value: the URL of a Slack webhook is a secret. */
function readAlerts(env: ReturnType<typeof parseEnvironment>, fromProject: ProjectSettings): AlertSettings | null {
  const { SIGNALBOX_ALERT_WEBHOOK_URL: url, SIGNALBOX_ALERT_WEBHOOK_SECRET: secret } = env;
  const { SIGNALBOX_ALERT_SLACK_URL: slackUrl } = env;
  const given = { SIGNALBOX_ALERT_WEBHOOK_URL: url, SIGNALBOX_ALERT_SLACK_URL: slackUrl };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined && !/^https?:$/.test(URL.parse(value)?.protocol ?? ""))
      throw new SettingsError(`${name} is not a URL. It must start with https:// or http://.`);
  const [hasDestination] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (!fromProject.alerts) {
    if (hasDestination === undefined) return null;
    throw new SettingsError(
      `${hasDestination} is set, but no alerts are. Write alerts: {} in signalbox.config.ts, or unset the variable.`,
    );
  }
  const baseUrl = env.SIGNALBOX_BASE_URL ?? fromProject.baseUrl;
  if (url !== undefined && baseUrl !== undefined && isOwnEndpoint(url, baseUrl))
    throw new SettingsError(
      "SIGNALBOX_ALERT_WEBHOOK_URL is an endpoint of this service. Its failed runs would cause alerts about alerts: use another receiver.",
    );
  if ((url === undefined) !== (secret === undefined))
    throw new SettingsError(
      "SIGNALBOX_ALERT_WEBHOOK_URL and SIGNALBOX_ALERT_WEBHOOK_SECRET must be set together. Create a secret with: echo whsec_$(openssl rand -base64 32)",
    );
  return {
    rules: readAlertRules(fromProject.alerts),
    destinations: {
      webhook: url === undefined || secret === undefined ? null : { url, secret: decodeAlertSecret(secret) },
      slack: slackUrl === undefined ? null : { url: slackUrl },
    },
  };
}

const encryptionKeyBytes = 32;

/** Messages never repeat a key. */
function readEncryptionKeys(env: ReturnType<typeof parseEnvironment>, projectDir: string): Uint8Array[] {
  const { SIGNALBOX_ENCRYPTION_KEYS: given, SIGNALBOX_ENCRYPTION_KEYS_FILE: file } = env;
  if (given !== undefined && file !== undefined)
    throw new SettingsError("SIGNALBOX_ENCRYPTION_KEYS and SIGNALBOX_ENCRYPTION_KEYS_FILE are both set. Unset one.");
  const [text, where] =
    file === undefined
      ? [given ?? "", "SIGNALBOX_ENCRYPTION_KEYS"]
      : [readKeyFile(resolve(projectDir, file)), resolve(projectDir, file)];
  return text
    .split(/[\s,]+/)
    .filter((key) => key !== "")
    .map((key, at) => {
      const bytes = Buffer.from(key, "base64");
      const isBase64 = bytes.toString("base64url") === key.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
      if (isBase64 && bytes.length === encryptionKeyBytes) return bytes;
      throw new SettingsError(
        `${where}: key ${at + 1} must be 32 bytes in base64. Create one with: openssl rand -base64 32`,
      );
    });
}

function readKeyFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new SettingsError(`SIGNALBOX_ENCRYPTION_KEYS_FILE: ${file} cannot be read (${code ?? String(error)}).`);
  }
}

function isOwnEndpoint(url: string, baseUrl: string): boolean {
  const [given, own] = [new URL(url), new URL(baseUrl)];
  return given.host === own.host && given.pathname.startsWith(`${own.pathname.replace(/\/$/, "")}/triggers/`);
}

/** As Standard Webhooks specifies: 24 to 64 bytes in base64, after `whsec_`. */
function decodeAlertSecret(secret: string): Uint8Array {
  const bytes = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const isBase64 = bytes.toString("base64").replace(/=+$/, "") === secret.replace(/^whsec_/, "").replace(/=+$/, "");
  if (isBase64 && bytes.length >= 24 && bytes.length <= 64) return bytes;
  throw new SettingsError(
    "SIGNALBOX_ALERT_WEBHOOK_SECRET must be whsec_ and 24 to 64 bytes in base64. Create one with: echo whsec_$(openssl rand -base64 32)",
  );
}

/** Reads only the standard variables of OpenTelemetry, which apply to all programs of a machine. */
function readTracing(env: NodeJS.ProcessEnv, name: string): TracingSettings | null {
  const read = readTracingSettings(env, name);
  if (read.kind === "bad")
    throw new SettingsError(`${read.problem} (in the environment; OTEL_SDK_DISABLED=true turns off tracing).`);
  return read.kind === "on" ? read.tracing : null;
}

/** The URL of this service: its base URL or, if none is set, host and port. */
export function serviceUrl(settings: Pick<Settings, "baseUrl" | "host">, port: number): string {
  if (settings.baseUrl) return settings.baseUrl;
  const host = settings.host === "0.0.0.0" || settings.host === "::" ? "127.0.0.1" : settings.host;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** The secret that encrypts stored keys: SIGNALBOX_SECRET, or the generated one in `.signalbox/secret`. */
export function readSecret(stateDir: string, env: NodeJS.ProcessEnv = process.env): string {
  const given = env["SIGNALBOX_SECRET"];
  if (given !== undefined && given !== "") {
    if (given.length < 16)
      throw new SettingsError(
        "SIGNALBOX_SECRET is too short. Set at least 16 characters, e.g. `openssl rand -base64 32`.",
      );
    return given;
  }
  const file = join(stateDir, "secret");
  if (!existsSync(file)) {
    mkdirSync(stateDir, { recursive: true });
    try {
      writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
      chmodSync(file, 0o600);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 16)
    throw new SettingsError(
      `${file} contains no secret. Restore it from a backup, or remove it: the service then creates a new secret, and you must create your keys again.`,
    );
  return secret;
}

/** Whether a secret exists. Does not create one. */
export function hasSecret(stateDir: string, env: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(env["SIGNALBOX_SECRET"]) || existsSync(join(stateDir, "secret"));
}

/** Validates the exports of `signalbox.config.ts`. */
export function parseProjectSettings(value: unknown, file: string): ProjectSettings {
  const parsed = projectSettingsSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SettingsError(`${file}: ${issue ? describeIssue(issue) : "invalid value"}`);
}

/** The minimum level of the log. Default: `info`, and `warn` in development. Throws SettingsError. */
export function readLogLevel(mode: Mode, env: NodeJS.ProcessEnv = process.env): LogThreshold {
  return parseEnvironment(env).SIGNALBOX_LOG_LEVEL ?? (mode === "development" ? "warn" : "info");
}

/** Parses a URL such as SIGNALBOX_DATABASE_URL. A relative `file:` is relative to the project. Throws SettingsError. */
export function readDatabaseUrl(
  url: string,
  projectDir: string,
  name = "SIGNALBOX_DATABASE_URL",
): Settings["database"] {
  if (/^postgres(ql)?:\/\//.test(url)) {
    // The message does not repeat the URL, which can contain a password.
    if (!URL.canParse(url))
      throw new SettingsError(
        `${name} is not a valid URL. It must be postgres://user:password@host:port/database. Encode special characters in the password (@ as %40, / as %2F, : as %3A).`,
      );
    return { kind: "postgres", url };
  }
  if (url.startsWith("file://")) return { kind: "sqlite", file: readFileUrl(url, name) };
  if (url.startsWith("file:") && url.length > 5) return { kind: "sqlite", file: resolve(projectDir, url.slice(5)) };
  throw badDatabaseUrl(name);
}

function withDirectUrl(
  database: Settings["database"],
  { directUrl, projectDir }: { directUrl: string | undefined; projectDir: string },
): Settings["database"] {
  if (directUrl === undefined || directUrl === "") return database;
  const direct = readDatabaseUrl(directUrl, projectDir, "SIGNALBOX_DATABASE_DIRECT_URL");
  if (database.kind !== "postgres" || direct.kind !== "postgres")
    throw new SettingsError(
      "SIGNALBOX_DATABASE_DIRECT_URL is only for a Postgres behind a pooler: it and SIGNALBOX_DATABASE_URL must both be postgres://…",
    );
  return { ...database, directUrl: direct.url };
}

/** With two slashes the first part would be a host: `file://data/x.db`. */
function readFileUrl(url: string, name: string): string {
  try {
    return fileURLToPath(url);
  } catch {
    throw badDatabaseUrl(name);
  }
}

function badDatabaseUrl(name: string): SettingsError {
  return new SettingsError(
    `${name} must be a file: URL (file:./.signalbox/signalbox.db, file:///var/lib/signalbox.db) or postgres://…`,
  );
}

function describeIssue(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys" && issue.path.length > 0)
    return `${issue.path.join(".")}: ${issue.keys.join(", ")} is not a setting`;
  if (issue.code === "unrecognized_keys") {
    return `${issue.keys.join(", ")} is not a setting. Settings: ${Object.keys(projectSettingsSchema.shape).join(", ")}.`;
  }
  return `${issue.path.join(".") || "the default export"}: ${issue.message}`;
}
