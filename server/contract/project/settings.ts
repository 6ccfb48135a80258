import { z } from "zod";
import type { Duration } from "../../../sdk/duration.ts";
import { parseDuration } from "../../../sdk/duration.ts";
import { roleSchema } from "../access/person.ts";
import { rateSchema } from "./endpoint.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** An IP address or a CIDR range. A range of all addresses is rejected: any client could forge its address. */
export const proxyRangeSchema = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], { error: "Must be an IP address or a range, e.g. 10.0.0.0/8" })
  .refine((range) => !range.endsWith("/0"), "Must not be a range of all addresses: any client could forge its address");

/** A host name. One that ends in a number would be an invalid IPv4 address. */
const hostNameSchema = z.hostname().refine((name) => !/^\d*$/.test(name.slice(name.lastIndexOf(".") + 1)));
const linkLocalSchema = z.string().regex(/^fe80:[\da-f:]+%[\w.-]+$/i);
const listenAddressSchema = z.union([z.ipv4(), z.ipv6(), linkLocalSchema, hostNameSchema]);

/** Whether a server could listen on it: an IP address or a host name, without brackets and port. */
export const isListenAddress = (host: string): boolean => listenAddressSchema.safeParse(host).success;

/** A domain of email addresses, without the at sign. */
const domainSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/, "Must be a domain of email addresses, e.g. example.com");

/** Signing in by OpenID Connect, beside passwords. */
export const oidcSettingsSchema = z.strictObject({
  /** Where `/.well-known/openid-configuration` is found. */
  issuer: z.url({ protocol: /^https?$/ }),
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** Whose verified addresses may come in. There is no "all": at a public provider that would be everybody. */
  domains: z.array(domainSchema).min(1).max(100),
  /** Of those who come for the first time. */
  role: roleSchema.optional(),
  /** On the button: "Sign in with …". */
  name: z.string().trim().min(1).max(40).optional(),
});

const limitsSchema = z.strictObject({
  perKey: rateSchema.optional(),
  perEndpoint: rateSchema.optional(),
  /** Connections at a time, of all senders, readers and browsers. */
  connections: z.int().min(10).max(1_000_000).optional(),
});

/** US dollars per million tokens. `cachedInput`: input from the provider's cache. Default: `input`. */
const modelPriceSchema = z.strictObject({
  input: z.number().min(0),
  cachedInput: z.number().min(0).optional(),
  output: z.number().min(0),
});

export type ModelPrice = z.infer<typeof modelPriceSchema>;

/** A duration of at least one minute. */
function waitSchema(maxDays: number) {
  return z.custom<Duration>((wait) => {
    const ms = parseDuration(wait);
    return ms !== null && ms >= minuteMs && ms <= maxDays * 24 * hourMs;
  });
}

/** `undefined` and `true`: the rule with its defaults. `false`: no such alerts. */
function ruleSchema<Options extends z.ZodRawShape>(options: Options, example: string) {
  return z
    .union([z.boolean(), z.strictObject(options)], { error: `Must be true, false, or options such as ${example}` })
    .optional();
}

/** The causes of alerts. */
const alertsSchema = z.strictObject({
  runFailed: ruleSchema({ quietFor: waitSchema(1).optional() }, '{ quietFor: "1h" }, at least one minute'),
  mismatches: ruleSchema(
    {
      share: z.number().gt(0).max(1).optional(),
      atLeast: z.int().min(1).max(1_000_000).optional(),
      within: waitSchema(1).optional(),
    },
    '{ share: 0.2, atLeast: 20, within: "1h" }',
  ),
  queueFull: z.boolean().optional(),
  approvalPending: ruleSchema({ after: waitSchema(90).optional() }, '{ after: "4h" }, at least one minute'),
  keyExpiring: ruleSchema({ before: waitSchema(90).optional() }, '{ before: "7d" }, at least one minute'),
  workersBlocked: ruleSchema({ after: waitSchema(1).optional() }, '{ after: "1m" }, at least one minute'),
  runsLate: ruleSchema({ after: waitSchema(90).optional() }, '{ after: "5m" }, at least one minute'),
  runsLeftBuild: ruleSchema({ quietFor: waitSchema(1).optional() }, '{ quietFor: "1h" }, at least one minute'),
  diskSpace: ruleSchema({ belowMb: z.int().min(1).max(1_000_000_000).optional() }, "{ belowMb: 1000 }"),
  storeUnavailable: ruleSchema({ after: waitSchema(1).optional() }, '{ after: "1m" }, at least one minute'),
});

/** Limits for incoming requests. */
export type RateLimits = Pick<z.infer<typeof limitsSchema>, "perKey" | "perEndpoint">;

/** The settings of `signalbox.config.ts`. Environment variables take precedence. Unknown names are rejected. */
export const projectSettingsSchema = z.strictObject({
  /** Shown in the app; the folder's name by default. */
  name: z.string().trim().min(1).max(100).optional(),
  port: z.int().min(0).max(65535).optional(),
  host: z
    .string()
    .refine(isListenAddress, "Must be an IP address or a host name, without a port, e.g. 127.0.0.1")
    .optional(),
  /** Where the world reaches this service, e.g. `https://hooks.example.com`. */
  baseUrl: z.url({ protocol: /^https?$/ }).optional(),
  /** `file:` or `postgres:` URL of the store. */
  databaseUrl: z.string().min(1).optional(),
  /** Largest body that a webhook may bring, in bytes. */
  maxBodyBytes: z
    .int()
    .min(1)
    .max(1024 ** 3)
    .optional(),
  /** Limits for incoming requests; see docs/receiving.md. */
  limits: limitsSchema.optional(),
  /** Number of worker processes. */
  workers: z.int().min(1).max(256).optional(),
  /** Runs that one worker process executes at the same time. */
  workerConcurrency: z.int().min(1).max(1000).optional(),
  /** Memory that one worker process may use, in MiB, before it is replaced. */
  workerMemoryMb: z
    .int()
    .min(64)
    .max(1024 * 1024)
    .optional(),
  /** Seconds that steps in flight get to end when the service stops. */
  drainSeconds: z.int().min(0).max(3_600).optional(),
  /** Days after which ended runs and their deliveries are removed; 0 keeps them permanently. */
  retentionDays: z.int().min(0).max(100_000).optional(),
  /** The number of the newest deliveries to keep. 0 keeps all. */
  retentionDeliveries: z.int().min(0).optional(),
  /** Maximum size of the data in MB. 0: no maximum. */
  retentionMb: z.int().min(0).max(1_000_000_000).optional(),
  /** Days after which entries of the audit log are removed; 0 keeps them permanently. Default: 365. */
  auditRetentionDays: z.int().min(0).max(100_000).optional(),
  /** Whether the content of deliveries and runs is encrypted in the store. The keys come from the environment. */
  encryption: z.boolean().optional(),
  /** What models cost, by their ids; goes before the prices that we know. */
  modelPrices: z.record(z.string().min(1), modelPriceSchema).optional(),
  /** Regular expressions of schemas that the build does not check, as written in code: `/^a+$/i`. */
  uncheckedRegexes: z
    .array(z.string().regex(/^\/.+\/[a-z]*$/s, 'Must be a regular expression as in code, e.g. "/^[a-z]+$/i"'))
    .max(1000)
    .optional(),
  /** Absent: no alerts. Their destinations come from the environment. */
  alerts: alertsSchema.optional(),
  /** The client secret can come from the environment: a value here is written into the build. */
  oidc: oidcSettingsSchema.partial({ clientSecret: true }).optional(),
  /** Reverse proxies whose X-Forwarded-For, -Host and -Proto are trusted: addresses and CIDR ranges. Default: none. */
  trustProxy: z.array(proxyRangeSchema).max(100).optional(),
});

export type ProjectSettings = z.infer<typeof projectSettingsSchema>;

/** The rules of `alerts` with their defaults. `null` and `false`: no such alerts. */
export interface AlertRules {
  /** The alert ends when no run of the target has failed for this time. */
  runFailed: { quietMs: number } | null;
  mismatches: { share: number; atLeast: number; withinMs: number } | null;
  queueFull: boolean;
  approvalPending: { afterMs: number } | null;
  keyExpiring: { beforeMs: number } | null;
  workersBlocked: { afterMs: number } | null;
  runsLate: { afterMs: number } | null;
  /** The alert ends when no run has left the build for this time. */
  runsLeftBuild: { quietMs: number } | null;
  /** `belowBytes`: the free space below which there is an alert; `null`: a tenth of the disk, at most 1 GB. */
  diskSpace: { belowBytes: number | null } | null;
  storeUnavailable: { afterMs: number } | null;
}

export function readAlertRules(given: NonNullable<ProjectSettings["alerts"]>): AlertRules {
  const failed = optionsOf(given.runFailed);
  const mismatches = optionsOf(given.mismatches);
  const approval = optionsOf(given.approvalPending);
  const key = optionsOf(given.keyExpiring);
  const blocked = optionsOf(given.workersBlocked);
  const late = optionsOf(given.runsLate);
  const left = optionsOf(given.runsLeftBuild);
  const disk = optionsOf(given.diskSpace);
  const store = optionsOf(given.storeUnavailable);
  return {
    runFailed: failed && { quietMs: toMs(failed.quietFor, "1h") },
    mismatches: mismatches && {
      share: mismatches.share ?? 0.2,
      atLeast: mismatches.atLeast ?? 20,
      withinMs: toMs(mismatches.within, "1h"),
    },
    queueFull: given.queueFull ?? true,
    approvalPending: approval && { afterMs: toMs(approval.after, "4h") },
    keyExpiring: key && { beforeMs: toMs(key.before, "7d") },
    workersBlocked: blocked && { afterMs: toMs(blocked.after, "1m") },
    runsLate: late && { afterMs: toMs(late.after, "5m") },
    runsLeftBuild: left && { quietMs: toMs(left.quietFor, "1h") },
    diskSpace: disk && { belowBytes: disk.belowMb === undefined ? null : disk.belowMb * megabyte },
    storeUnavailable: store && { afterMs: toMs(store.after, "1m") },
  };
}

const megabyte = 1_000_000;

function toMs(given: Duration | undefined, byDefault: Duration): number {
  return parseDuration(given ?? byDefault) ?? 0;
}

function optionsOf<Options extends object>(rule: boolean | Options | undefined): Partial<Options> | null {
  if (rule === false) return null;
  return typeof rule === "object" ? rule : {};
}
