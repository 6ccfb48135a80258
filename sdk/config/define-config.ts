import { checkOptions } from "../check-shape.ts";

/**
 * What `signalbox.config.ts` may say. All of it is optional; the environment wins over it; an unknown or bad setting
 * stops the start.
 */
export interface ProjectConfig {
  /** Shown in the app: 1 to 100 characters. The folder's name unless told. */
  name?: string;
  /** 0 to 65535; 0 takes any free one. 3002 in development, 3000 deployed. Environment: `PORT`. */
  port?: number;
  /** Address to listen on. `127.0.0.1` in development, every address deployed. Environment: `HOST`. */
  host?: string;
  /** Where the world reaches this service, e.g. `https://hooks.example.com`. Environment: `SIGNALBOX_BASE_URL`. */
  baseUrl?: string;
  /**
   * `file:` URL of the store, seen from the project's folder. `file:./.signalbox/signalbox.db` unless told.
   * Environment: `DATABASE_URL`.
   */
  databaseUrl?: string;
  /** Largest body that a webhook may bring, in bytes. 1 MiB unless told. Environment: `SIGNALBOX_MAX_BODY_BYTES`. */
  maxBodyBytes?: number;
  /** What is let in, at most; what is over it gets 429. There is no limit on requests unless told. */
  limits?: {
    /** Webhooks of one key, over all endpoints. All of them may come at once; from then on they come back evenly. */
    perKey?: { requests: number; per: "second" | "minute" | "hour" };
    /** Webhooks to one endpoint, of all keys. */
    perEndpoint?: { requests: number; per: "second" | "minute" | "hour" };
    /** Connections at a time, 10 or more; further ones are closed at once. 5,000 unless told. */
    connections?: number;
  };
  /** Number of worker processes, 1 to 256. 1 unless told. Environment: `SIGNALBOX_WORKERS`. */
  workers?: number;
  /** Runs that one worker process executes at the same time, 1 to 1000. 20 unless told. */
  workerConcurrency?: number;
  /** Memory that one worker process may use, in MiB, before it is replaced: 64 or more. 1024 unless told. */
  workerMemoryMb?: number;
  /**
   * Signing in by OpenID Connect, beside passwords. Environment: `SIGNALBOX_OIDC_ISSUER`, `_CLIENT_ID`,
   * `_CLIENT_SECRET`, `_DOMAINS` (with commas) and `_ROLE`. At the provider, the redirect URI is
   * `<baseUrl>/api/auth/callback/oidc`.
   */
  oidc?: {
    issuer: string;
    clientId: string;
    /** Better in the environment: what stands here is written into the build. */
    clientSecret?: string;
    /** Whose verified e-mail addresses may come in, e.g. `["example.com"]`. */
    domains: string[];
    /** Of those who come for the first time; `viewer` unless told. */
    role?: "viewer" | "operator" | "admin";
    /** On the button; the issuer's host unless told. */
    name?: string;
  };
  /**
   * What models of agents cost, by their ids, in US dollars for a million tokens; goes before the prices that Signalbox
   * knows.
   */
  modelPrices?: Record<string, { input: number; cachedInput?: number; output: number }>;
  /**
   * Regular expressions in schemas that `signalbox build` does not check for texts that keep them busy (ReDoS). Each as
   * written in code: `"/^(?:[a-z]{1,9} ?){1,9}$/i"`. Only for those that you know to be safe.
   */
  uncheckedRegexes?: string[];
  /**
   * Reverse proxies whose `X-Forwarded-For`, `-Host` and `-Proto` are believed: IP addresses and CIDR ranges, e.g.
   * `["127.0.0.1", "10.0.0.0/8"]`. Nobody's unless told. Environment: `SIGNALBOX_TRUST_PROXY`, with commas.
   */
  trustProxy?: string[];
  /**
   * Days after which ended runs and their deliveries are removed. Kept for ever unless told; 0 says so, too.
   * Environment: `SIGNALBOX_RETENTION_DAYS`.
   */
  retentionDays?: number;
  /**
   * So many of the newest deliveries are kept; older ones are removed with their ended runs. All unless told, or 0.
   * Environment: `SIGNALBOX_RETENTION_DELIVERIES`.
   */
  retentionDeliveries?: number;
  /**
   * Days after which entries of the audit log are removed; 0 keeps them permanently. Default: 365. Environment:
   * `SIGNALBOX_AUDIT_RETENTION_DAYS`.
   */
  auditRetentionDays?: number;
}

/**
 * Settings of the project: the default export of `signalbox.config.ts`. Gives back what it got; the values are checked
 * when the service starts. Throws a TypeError for what is not an object.
 *
 * @example
 *   export default defineConfig({ name: "Billing hooks", workers: 2 });
 */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  checkOptions(config, "defineConfig", 'defineConfig({ name: "My hooks" })');
  return config;
}
