import { z } from "zod";
import { isListenAddress, proxyRangeSchema } from "../contract/project/settings.ts";

/** An invalid setting. The message is one line: the problem, its location, and how to fix it. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogThreshold = (typeof logLevels)[number];

const integer = (name: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, `${name} must be a whole number`)
    .transform(Number)
    .pipe(z.number().min(min, `${name} must be ${min} or more`).max(max, `${name} must be ${max} or less`))
    .optional();

/** The variables that set the service. Those with a text have no setting in `signalbox.config.ts`. */
export const environmentSchema = z.object({
  SIGNALBOX_DATABASE_URL: z.string().optional(),
  SIGNALBOX_DATABASE_DIRECT_URL: z
    .string()
    .optional()
    .describe(
      "URL of the Postgres server itself, if `SIGNALBOX_DATABASE_URL` leads to a pooler in transaction mode. Default: none.",
    ),
  SIGNALBOX_BASE_URL: z
    .string()
    .refine(
      (url) => /^https?:\/\/[^/?#]+/.test(url) && URL.canParse(url),
      "SIGNALBOX_BASE_URL must start with http:// or https://, e.g. https://hooks.example.com",
    )
    .optional(),
  SIGNALBOX_SECRET: z
    .string()
    .optional()
    .describe(
      "Encrypts the stored webhook keys and signs sessions: at least 16 characters. Create one with `openssl rand -base64 32`, and keep it. Default: generated into `.signalbox/secret`.",
    ),
  SIGNALBOX_ENCRYPTION: z
    .enum(["true", "false"], "SIGNALBOX_ENCRYPTION must be true or false")
    .transform((value) => value === "true")
    .optional(),
  SIGNALBOX_ENCRYPTION_KEYS: z
    .string()
    .optional()
    .describe(
      "Keys of `encryption`, separated by spaces or commas: 32 bytes in base64 each. The first one encrypts, and all decrypt. Create one with `openssl rand -base64 32`, and keep it. Default: none.",
    ),
  SIGNALBOX_ENCRYPTION_KEYS_FILE: z
    .string()
    .optional()
    .describe("A file with these keys, one in each line. A relative path is relative to the project. Default: none."),
  SIGNALBOX_BUILDS_DIR: z
    .string()
    .optional()
    .describe(
      "A folder in which builds outlive a container, for runs that are open at the next deployment. Default: none.",
    ),
  PORT: integer("PORT", 0, 65535),
  SIGNALBOX_HOST: z
    .string()
    .refine(
      isListenAddress,
      "SIGNALBOX_HOST must be an IP address or a host name of this machine, without a port, e.g. 127.0.0.1",
    )
    .optional(),
  /** Tools set it for their own purposes, conda for example: it is ignored unless it is an address of this machine. */
  HOST: z.string().optional(),
  SIGNALBOX_MAX_BODY_BYTES: integer("SIGNALBOX_MAX_BODY_BYTES", 1, 1024 ** 3),
  SIGNALBOX_WORKERS: integer("SIGNALBOX_WORKERS", 1, 256),
  SIGNALBOX_DRAIN_SECONDS: integer("SIGNALBOX_DRAIN_SECONDS", 0, 3_600),
  SIGNALBOX_OIDC_ISSUER: z.string().optional(),
  SIGNALBOX_OIDC_CLIENT_ID: z.string().optional(),
  SIGNALBOX_OIDC_CLIENT_SECRET: z.string().optional(),
  SIGNALBOX_OIDC_DOMAINS: z.string().optional(),
  SIGNALBOX_OIDC_ROLE: z.string().optional(),
  SIGNALBOX_ALERT_WEBHOOK_URL: z
    .string()
    .optional()
    .describe("URL that gets each message about an alert, as a Standard Webhook. Default: none."),
  SIGNALBOX_ALERT_WEBHOOK_SECRET: z
    .string()
    .optional()
    .describe(
      "Signs these messages: `whsec_` and 24 to 64 bytes in base64. Required with the URL. Create one with `echo whsec_$(openssl rand -base64 32)`. Default: none.",
    ),
  SIGNALBOX_ALERT_SLACK_URL: z
    .string()
    .optional()
    .describe("URL of an incoming webhook of Slack, which gets the same messages. Default: none."),
  SIGNALBOX_TRUST_PROXY: z
    .string()
    .transform((list) => list.split(",").map((range) => range.trim()))
    .pipe(
      z.array(
        proxyRangeSchema,
        "SIGNALBOX_TRUST_PROXY must be a comma-separated list of IP addresses or ranges, e.g. 127.0.0.1,10.0.0.0/8",
      ),
    )
    .optional(),
  SIGNALBOX_LOG_LEVEL: z
    .enum(logLevels, `SIGNALBOX_LOG_LEVEL must be one of ${logLevels.join(", ")}`)
    .optional()
    .describe("Minimum level of the log. Default: `info`, and `warn` in development."),
  SIGNALBOX_RETENTION_DAYS: integer("SIGNALBOX_RETENTION_DAYS", 0, 100_000),
  SIGNALBOX_AUDIT_RETENTION_DAYS: integer("SIGNALBOX_AUDIT_RETENTION_DAYS", 0, 100_000),
  SIGNALBOX_RETENTION_DELIVERIES: integer("SIGNALBOX_RETENTION_DELIVERIES", 0, Number.MAX_SAFE_INTEGER),
  SIGNALBOX_RETENTION_MB: integer("SIGNALBOX_RETENTION_MB", 0, 1_000_000_000),
});

/** Variables of client commands and of programs that embed the receiver. They are not settings of the service. */
export const clientVariables: Readonly<Record<string, string>> = {
  SIGNALBOX_URL: "Address of the service that client commands call. Default: the store of the project on this machine.",
  SIGNALBOX_TOKEN: "API token for that service. Default: none.",
  SIGNALBOX_PROJECT: "Folder of the project whose webhooks a Next.js server receives. Default: the current folder.",
};

/** Set by the supervisor for its processes, and by contributors to this repository. */
const internalVariables = ["SIGNALBOX_PROCESS", "SIGNALBOX_PAGES"];

/**
 * Kubernetes describes each Service to the containers of its namespace. For one named `signalbox`, or `signalbox-web`,
 * these are variables such as SIGNALBOX_SERVICE_HOST, SIGNALBOX_PORT=tcp://10.0.0.1:3000 and
 * SIGNALBOX_PORT_3000_TCP_ADDR: they are not misspelt settings.
 */
function isOfKubernetes(name: string, value = ""): boolean {
  if (/_SERVICE_(HOST|PORT(_.+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value);
}

/** The variables of Kubernetes that look like settings, in alphabetical order: they are ignored, and logged once. */
export function ignoredVariables(env: NodeJS.ProcessEnv = process.env): string[] {
  return Object.entries(env)
    .filter(([name, value]) => name.startsWith("SIGNALBOX_") && isOfKubernetes(name, value))
    .map(([name]) => name)
    .toSorted();
}

/** Throws SettingsError for an unknown or invalid variable. */
export function parseEnvironment(env: NodeJS.ProcessEnv) {
  const known = Object.keys(environmentSchema.shape);
  const allowed = new Set([...known, ...Object.keys(clientVariables), ...internalVariables]);
  for (const [name, value] of Object.entries(env)) {
    if (!name.startsWith("SIGNALBOX_") || allowed.has(name) || isOfKubernetes(name, value)) continue;
    throw new SettingsError(`${name} is not a setting of Signalbox. Settings: ${known.join(", ")}.`);
  }
  const present = Object.fromEntries(known.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
  const parsed = environmentSchema.safeParse(present);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new SettingsError(
    `${issue?.message ?? "The environment is invalid"} (it is ${JSON.stringify(env[String(issue?.path[0])])} in the environment).`,
  );
}
