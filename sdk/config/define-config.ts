import { checkOptions } from "../check-shape.ts";
import type { Duration } from "../duration.ts";

/**
 * Settings in `signalbox.config.ts`. All are optional. Environment variables take precedence. An unknown or invalid
 * setting prevents the server from starting.
 */
export interface ProjectConfig {
  /** Project name shown in the app: 1 to 100 characters. Default: the name of the project folder. */
  name?: string;
  /** Port to listen on; 0 picks any free port. Default: 3002 in development, 3000 deployed. Environment: `PORT`. */
  port?: number;
  /**
   * Address to listen on: an IP address or a host name of this machine. The variable `HOST` is used only if it is an IP
   * address of this machine. Default: `127.0.0.1` in development, every address deployed. Environment:
   * `SIGNALBOX_HOST`, `HOST`.
   */
  host?: string;
  /**
   * Public URL of the server, e.g. `https://hooks.example.com`. Default: made of host and port. Environment:
   * `SIGNALBOX_BASE_URL`.
   */
  baseUrl?: string;
  /**
   * URL of the store: `file:…`, relative to the project folder, or `postgres://…`, which several machines can share.
   * Default: `file:./.signalbox/signalbox.db`. Environment: `SIGNALBOX_DATABASE_URL`.
   */
  databaseUrl?: string;
  /** Maximum size of a webhook body, in bytes. Default: 1 MiB. Environment: `SIGNALBOX_MAX_BODY_BYTES`. */
  maxBodyBytes?: number;
  /** Limits of rates and connections. */
  limits?: {
    /**
     * Webhooks of one key, over all endpoints, e.g. `{ requests: 600, per: "minute" }`: a token bucket of `requests`
     * tokens, refilled evenly over `per`. Further requests get 429. Default: no limit.
     */
    perKey?: { requests: number; per: "second" | "minute" | "hour" };
    /** The same for the webhooks to one endpoint, over all keys. Default: no limit. */
    perEndpoint?: { requests: number; per: "second" | "minute" | "hour" };
    /** Maximum number of open connections. The server closes further ones immediately. Default: 5,000. */
    connections?: number;
  };
  /** Number of worker processes. Default: 1. Environment: `SIGNALBOX_WORKERS`. */
  workers?: number;
  /** Maximum concurrent runs per worker process. Default: 20. */
  workerConcurrency?: number;
  /** Memory limit of a worker process, in MiB. A process over the limit is replaced. Default: 1024. */
  workerMemoryMb?: number;
  /**
   * Seconds that steps in flight get to end when `start` or `worker` stops. Afterwards their runs return to the queue,
   * and repeat these steps. Your platform must wait ten seconds longer before it kills the service. `dev` waits one
   * second. Default: 30. Environment: `SIGNALBOX_DRAIN_SECONDS`.
   */
  drainSeconds?: number;
  /**
   * Sign-in with OpenID Connect, in addition to passwords. Register the redirect URI
   * `<baseUrl>/api/auth/callback/oidc` at your provider.
   */
  oidc?: {
    /**
     * URL of the provider, below which `/.well-known/openid-configuration` is found. Default: none, passwords only.
     * Environment: `SIGNALBOX_OIDC_ISSUER`.
     */
    issuer: string;
    /** Client id that the provider gave you. Default: none. Environment: `SIGNALBOX_OIDC_CLIENT_ID`. */
    clientId: string;
    /**
     * Client secret that the provider gave you. Prefer the environment variable: a value in this file becomes part of
     * the build. Default: none. Environment: `SIGNALBOX_OIDC_CLIENT_SECRET`.
     */
    clientSecret?: string;
    /**
     * Domains of the verified email addresses that may sign in, e.g. `["example.com"]`, in the environment separated by
     * commas. Default: none. Environment: `SIGNALBOX_OIDC_DOMAINS`.
     */
    domains: string[];
    /**
     * Role of a person who signs in for the first time: `viewer`, `operator` or `admin`. Default: `viewer`.
     * Environment: `SIGNALBOX_OIDC_ROLE`.
     */
    role?: "viewer" | "operator" | "admin";
    /** Provider name on the sign-in button. Default: the issuer's host. */
    name?: string;
  };
  /**
   * Encrypts the content of deliveries and runs in the store (AES-256-GCM): headers, bodies, payloads, inputs, outputs,
   * errors, logs and steps. Needs a key in `SIGNALBOX_ENCRYPTION_KEYS` or `SIGNALBOX_ENCRYPTION_KEYS_FILE`. Default:
   * `false`. Environment: `SIGNALBOX_ENCRYPTION`.
   */
  encryption?: boolean;
  /**
   * Prices by model id, in US dollars per million tokens. They take precedence over the built-in prices. Default: the
   * built-in prices.
   */
  modelPrices?: Record<string, { input: number; cachedInput?: number; output: number }>;
  /**
   * Regular expressions in schemas that `signalbox build` does not check for catastrophic backtracking (ReDoS). Write
   * each as in code: `"/^(?:[a-z]{1,9} ?){1,9}$/i"`. List only expressions that you know to be safe. Default: none.
   */
  uncheckedRegexes?: string[];
  /**
   * Trusted reverse proxies, as IP addresses and CIDR ranges: `["127.0.0.1", "10.0.0.0/8"]`, in the environment
   * separated by commas. The server uses `X-Forwarded-For`, `-Host` and `-Proto` only from these. Default: none.
   * Environment: `SIGNALBOX_TRUST_PROXY`.
   */
  trustProxy?: string[];
  /**
   * Days after which ended runs and their deliveries are removed. 0 keeps them permanently. Default: 0. Environment:
   * `SIGNALBOX_RETENTION_DAYS`.
   */
  retentionDays?: number;
  /**
   * Maximum number of deliveries to keep. The oldest are removed first, together with their ended runs. 0 keeps all.
   * Default: 0. Environment: `SIGNALBOX_RETENTION_DELIVERIES`.
   */
  retentionDeliveries?: number;
  /**
   * Maximum size of the data in SQLite's file, in MB. Beyond it, ended runs and their deliveries are removed, oldest
   * first, but not those of the last hour. 0: no maximum. Default: three quarters of the size of the disk. Not for
   * Postgres. Environment: `SIGNALBOX_RETENTION_MB`.
   */
  retentionMb?: number;
  /**
   * Days after which entries of the audit log are removed; 0 keeps them permanently. Default: 365. Environment:
   * `SIGNALBOX_AUDIT_RETENTION_DAYS`.
   */
  auditRetentionDays?: number;
  /**
   * Alerts, shown in the app and sent to the destinations in the environment: `SIGNALBOX_ALERT_WEBHOOK_URL` with
   * `SIGNALBOX_ALERT_WEBHOOK_SECRET` (Standard Webhooks), and `SIGNALBOX_ALERT_SLACK_URL`. `alerts: {}` turns on all
   * kinds; `false` turns a kind off. Without `alerts` there are none.
   */
  alerts?: AlertOptions;
}

/** The causes of alerts. Durations: `"1m"` or more. */
export interface AlertOptions {
  /**
   * Runs of a workflow or an agent failed permanently. The alert ends when none has failed for `quietFor`. Default: `{
   * quietFor: "1h" }`.
   */
  runFailed?: boolean | { quietFor?: Duration };
  /**
   * At least the `share` of the deliveries to an endpoint match the `request` of no trigger: above 0, at most 1.
   * `within`: the time that is looked at, at most `"24h"`. `atLeast`: the number of deliveries in that time below which
   * there is no alert. Default: `{ share: 0.2, atLeast: 20, within: "1h" }`.
   */
  mismatches?: boolean | { share?: number; atLeast?: number; within?: Duration };
  /** The queue of a workflow or an agent has reached its `maxQueued`. Default: `true`. */
  queueFull?: boolean;
  /** A tool call has waited for its approval for longer than `after`. Default: `{ after: "4h" }`. */
  approvalPending?: boolean | { after?: Duration };
  /**
   * A webhook key or an API token expires in less than `before`. Keys that were rotated do not count. Default: `{
   * before: "7d" }`.
   */
  keyExpiring?: boolean | { before?: Duration };
  /**
   * Runs have been due for longer than `after`, and no worker can take them: none runs, code blocks all of them, or
   * none has the version of the runs. Default: `{ after: "1m" }`.
   */
  workersBlocked?: boolean | { after?: Duration };
  /**
   * Runs have been due for longer than `after`, although workers respond, for example because all slots are taken.
   * Default: `{ after: "5m" }`.
   */
  runsLate?: boolean | { after?: Duration };
  /**
   * Runs continued on another build, because no machine has the one that accepted them. The alert ends when none has
   * left the build for `quietFor`. Default: `{ quietFor: "1h" }`.
   */
  runsLeftBuild?: boolean | { quietFor?: Duration };
  /**
   * The disk of a SQLite store has less than `belowMb` megabytes free. Default: a tenth of the disk, at most 1,000
   * megabytes.
   */
  diskSpace?: boolean | { belowMb?: number };
  /** The store was unavailable for longer than `after`. Default: `{ after: "1m" }`. */
  storeUnavailable?: boolean | { after?: Duration };
}

/**
 * Defines the settings of the project: the default export of `signalbox.config.ts`. Returns its argument unchanged; the
 * server checks the values when it starts. Throws a TypeError if the argument is not an object.
 *
 * @example
 *   // signalbox.config.ts
 *   import { defineConfig } from "signalbox/config";
 *
 *   export default defineConfig({ name: "Billing hooks", workers: 2 });
 */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  checkOptions(config, "defineConfig", 'defineConfig({ name: "My hooks" })');
  return config;
}
