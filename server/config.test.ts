import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseProjectSettings, readSecret, readSettings, serviceUrl } from "./config.ts";
import { ignoredVariables, SettingsError } from "./config/environment.ts";

const read = (env: NodeJS.ProcessEnv, fromProject = {}, mode: "development" | "deployed" = "deployed") =>
  readSettings({ projectDir: "/srv/automations", mode, fromProject, env });

const parseAlerts = (alerts: unknown) => parseProjectSettings({ alerts }, "signalbox.config.ts");

/** The variables by which Kubernetes describes a Service. */
const injected = (name: string) => ({
  [`${name}_SERVICE_HOST`]: "10.96.0.12",
  [`${name}_SERVICE_PORT`]: "3000",
  [`${name}_SERVICE_PORT_HTTP`]: "3000",
  [`${name}_PORT`]: "tcp://10.96.0.12:3000",
  [`${name}_PORT_3000_TCP`]: "tcp://10.96.0.12:3000",
  [`${name}_PORT_3000_TCP_PROTO`]: "tcp",
  [`${name}_PORT_3000_TCP_PORT`]: "3000",
  [`${name}_PORT_3000_TCP_ADDR`]: "10.96.0.12",
  [`${name}_PORT_53_UDP_ADDR`]: "10.96.0.12",
});
const readDeployed = (env: NodeJS.ProcessEnv) =>
  readSettings({ projectDir: "/p", mode: "deployed", fromProject: {}, env });

describe("settings", () => {
  it("have the defaults of the contract", () => {
    expect(read({})).toMatchObject({
      name: "automations",
      host: "0.0.0.0",
      port: 3000,
      database: { kind: "sqlite", file: "/srv/automations/.signalbox/signalbox.db" },
      maxBodyBytes: 1_048_576,
    });
    expect(read({}, {}, "development")).toMatchObject({ host: "127.0.0.1", port: 3002 });
  });

  it("are read from the environment before signalbox.config.ts, and from flags before both", () => {
    const fromProject = { port: 4000, maxBodyBytes: 5, workers: 3 };
    expect(read({ PORT: "5000", SIGNALBOX_WORKERS: "2" }, fromProject)).toMatchObject({
      port: 5000,
      workers: 2,
      maxBodyBytes: 5,
    });
    const flagged = readSettings({
      projectDir: "/srv/a",
      mode: "deployed",
      fromProject,
      flags: { port: 6000 },
      env: { PORT: "5000" },
    });
    expect(flagged.port).toBe(6000);
  });

  it.each([
    ["127.0.0.1"],
    ["127.8.9.10"],
    ["0.0.0.0"],
    ["::"],
    ["0:0:0:0:0:0:0:1"],
    ["localhost"],
    ["10.0.0.1"],
    ["hooks.internal"],
    ["a-name"],
    ["fe80::1%eth0"],
  ])("SIGNALBOX_HOST=%s is the address to listen on, before HOST and signalbox.config.ts", (host) => {
    expect(read({ SIGNALBOX_HOST: host, HOST: "127.0.0.2" }, { host: "127.0.0.3" }).host).toBe(host);
  });

  it.each([["127.0.0.1"], ["127.8.9.10"], ["::1"], ["0:0::1"], ["0.0.0.0"], ["::"], ["localhost"]])(
    "HOST=%s is an address of this machine, and used",
    (host) => {
      expect(read({ HOST: host }, { host: "127.0.0.3" }).host).toBe(host);
    },
  );

  it.each([
    ["x86_64-conda-linux-gnu"],
    ["x86_64-apple-darwin13.4.0"],
    ["mylaptop"],
    ["mylaptop.local"],
    ["https://example.com"],
    ["203.0.113.7"],
    ["2001:db8::7"],
    ["[::1]"],
    ["127.0.0.1:8080"],
    ["*"],
    [" "],
  ])("HOST=%s belongs to another tool, and is ignored in every mode", (host) => {
    expect(read({ HOST: host }).host).toBe("0.0.0.0");
    expect(read({ HOST: host }, {}, "development").host).toBe("127.0.0.1");
    expect(read({ HOST: host }, { host: "127.0.0.3" }).host).toBe("127.0.0.3");
  });

  it("HOST is used for every address of an interface of this machine", () => {
    const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
    for (const { address } of own) expect(read({ HOST: address }).host).toBe(address);
  });

  it.each([
    ["DATABASE_URL", "mysql://app:secret@db/app"],
    ["DATABASE_URL", "postgres://app:secret@db/app"],
    ["DATABASE_URL", "file:./dev.db"],
    ["DATABASE_DIRECT_URL", "postgres://app:secret@db/app"],
    ["DATABASE_URL", "prisma+postgres://accelerate.prisma-data.net/?api_key=x"],
  ])("%s=%s belongs to the application: the store is the default", (name, url) => {
    expect(read({ [name]: url })).toEqual(read({}));
  });

  it("keep everything that fits on the disk by default; 0 is no limit, and takes precedence from the environment", () => {
    const byDefault = { days: null, deliveries: null, maxSize: "disk", auditDays: 365 };
    expect(read({}).retention).toEqual(byDefault);
    expect(read({ SIGNALBOX_RETENTION_DAYS: "0" }, { retentionDays: 30, retentionDeliveries: 5 }).retention).toEqual({
      ...byDefault,
      deliveries: 5,
    });
    expect(read({ SIGNALBOX_RETENTION_DELIVERIES: "7" }, { retentionDays: 30 }).retention).toEqual({
      ...byDefault,
      days: 30,
      deliveries: 7,
    });
    expect(read({ SIGNALBOX_RETENTION_MB: "0" }, { retentionMb: 5 }).retention).toEqual({
      ...byDefault,
      maxSize: null,
    });
    expect(read({ SIGNALBOX_RETENTION_MB: "900" }).retention).toEqual({ ...byDefault, maxSize: 900 });
    const SIGNALBOX_DATABASE_URL = "postgres://hooks@db/hooks";
    expect(read({ SIGNALBOX_DATABASE_URL }).retention.maxSize).toBeNull();
    expect(() => read({ SIGNALBOX_DATABASE_URL }, { retentionMb: 5 })).toThrow(/retentionMb is for SQLite/);
    expect(read({ SIGNALBOX_AUDIT_RETENTION_DAYS: "0" }, { auditRetentionDays: 30 }).retention.auditDays).toBeNull();
    expect(read({}, { auditRetentionDays: 30 }).retention.auditDays).toBe(30);
  });

  it.each([
    ["PORT", "eighty", /PORT must be a whole number/],
    ["PORT", "70000", /PORT must be 65535 or less/],
    [
      "SIGNALBOX_LOG_LEVEL",
      "trace",
      /SIGNALBOX_LOG_LEVEL must be one of debug, info, warn, error, silent \(it is "trace"/,
    ],
    ["SIGNALBOX_WORKERS", "0", /SIGNALBOX_WORKERS must be 1 or more/],
    ["SIGNALBOX_MAX_BODY_BYTES", "-1", /must be a whole number/],
    ["SIGNALBOX_RETENTION_DAYS", "1.5", /must be a whole number/],
    ["SIGNALBOX_DRAIN_SECONDS", "3601", /must be 3600 or less/],
    ["SIGNALBOX_OIDC_ISSUER", "https://login.example.com", /oidc\.clientId: .*SIGNALBOX_OIDC_ISSUER/],
    ["SIGNALBOX_TRUST_PROXY", "true", /must be (an IP address|a comma-separated list of IP addresses)/i],
    ["SIGNALBOX_TRUST_PROXY", "10.0.0.1,nginx", /must be (an IP address|a comma-separated list of IP addresses)/i],
    ["SIGNALBOX_TRUST_PROXY", "0.0.0.0/0", /any client could forge its address/],
    ["SIGNALBOX_BASE_URL", "hooks.example.com", /must start with http/],
    ["SIGNALBOX_BASE_URL", "http://hooks.example.com:99999", /must start with http/],
    ["SIGNALBOX_BASE_URL", "https://[hooks", /must start with http/],
    ["SIGNALBOX_HOST", "x86_64-conda-linux-gnu", /SIGNALBOX_HOST must be an IP address or a host name.*it is "x86_64/],
    ["SIGNALBOX_HOST", "127.0.0.1:3000", /SIGNALBOX_HOST must be an IP address/],
    ["SIGNALBOX_HOST", "[::1]", /SIGNALBOX_HOST must be an IP address/],
    ["SIGNALBOX_HOST", "http://localhost", /SIGNALBOX_HOST must be an IP address/],
    ["SIGNALBOX_HOST", "256.1.1.1", /SIGNALBOX_HOST must be an IP address/],
    ["SIGNALBOX_HOST", "3000", /SIGNALBOX_HOST must be an IP address/],
    ["SIGNALBOX_DATABASE_URL", "mysql://db", /must be a file: URL/],
    ["SIGNALBOX_DATABASE_URL", "file://data/signalbox.db", /must be a file: URL/],
    ["SIGNALBOX_DATABASE_URL", "file:///data%2Fsignalbox.db", /must be a file: URL/],
    ["SIGNALBOX_WORKRES", "2", /SIGNALBOX_WORKRES is not a setting/],
  ])("stop the start with one clear line when %s is %s", (name, value, message) => {
    const attempt = () => read({ [name]: value });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(message);
    expect(() => read({ [name]: value })).not.toThrow(/\n/);
  });

  it("are not confused with the variables that Kubernetes sets for Services whose names start with signalbox", () => {
    for (const name of [
      "SIGNALBOX",
      "SIGNALBOX_WEB",
      "SIGNALBOX_BASE_URL",
      "SIGNALBOX_WORKERS",
      "HOOKS",
      "HOST",
      "PORT",
      "SIGNALBOX_DATABASE_URL",
    ]) {
      expect(readDeployed({ ...injected(name), SIGNALBOX_WORKERS: "2" })).toEqual(
        readDeployed({ SIGNALBOX_WORKERS: "2" }),
      );
    }
    // A person's own mistake is still found.
    expect(() => readDeployed({ SIGNALBOX_PORT: "3000" })).toThrow(/SIGNALBOX_PORT is not a setting/);
    expect(() => readDeployed({ SIGNALBOX_DATABASE: "x" })).toThrow(/SIGNALBOX_DATABASE is not a setting/);
  });

  it("name the variables of Kubernetes that they ignore, for one log line", () => {
    expect(ignoredVariables(injected("SIGNALBOX"))).toEqual(Object.keys(injected("SIGNALBOX")).toSorted());
    expect(ignoredVariables({ ...injected("HOOKS"), ...injected("PORT") })).toEqual([]);
    expect(ignoredVariables({ SIGNALBOX_PORT: "3000", SIGNALBOX_WORKERS: "2", PORT: "3000" })).toEqual([]);
  });

  it("reject an unknown name in signalbox.config.ts, and list the settings", () => {
    expect(() => parseProjectSettings({ prot: 1 }, "signalbox.config.ts")).toThrow(
      /signalbox.config.ts: prot is not a setting. Settings: name, port/,
    );
    expect(() => parseProjectSettings({ port: "1" }, "signalbox.config.ts")).toThrow(/signalbox.config.ts: port: /);
  });

  it("read the rules of alerts from the file, and their destinations from the environment only", () => {
    const secret = Buffer.alloc(32, 7);
    const env = {
      SIGNALBOX_ALERT_WEBHOOK_URL: "https://alerts.example.com/in",
      SIGNALBOX_ALERT_WEBHOOK_SECRET: `whsec_${secret.toString("base64")}`,
      SIGNALBOX_ALERT_SLACK_URL: "https://hooks.slack.com/services/T/B/x",
    };
    expect(read({}, parseAlerts({})).alerts).toEqual({
      rules: {
        runFailed: { quietMs: 3_600_000 },
        mismatches: { share: 0.2, atLeast: 20, withinMs: 3_600_000 },
        queueFull: true,
        approvalPending: { afterMs: 4 * 3_600_000 },
        keyExpiring: { beforeMs: 7 * 24 * 3_600_000 },
        workersBlocked: { afterMs: 60_000 },
        runsLate: { afterMs: 5 * 60_000 },
        runsLeftBuild: { quietMs: 3_600_000 },
        diskSpace: { belowBytes: null },
        storeUnavailable: { afterMs: 60_000 },
      },
      destinations: { webhook: null, slack: null },
    });
    const given = parseAlerts({
      runFailed: { quietFor: "30m" },
      queueFull: false,
      keyExpiring: false,
      mismatches: true,
    });
    expect(read(env, given).alerts).toMatchObject({
      rules: { runFailed: { quietMs: 1_800_000 }, queueFull: false, keyExpiring: null, mismatches: { share: 0.2 } },
      destinations: {
        webhook: { url: env.SIGNALBOX_ALERT_WEBHOOK_URL, secret },
        slack: { url: env.SIGNALBOX_ALERT_SLACK_URL },
      },
    });
    // The manifest has them as they were parsed.
    expect(parseProjectSettings(given, "manifest")).toEqual(given);
    expect(read({}).alerts).toBeNull();
  });

  it.each<[string, Record<string, string>, object, RegExp]>([
    [
      "have a URL without a secret",
      { SIGNALBOX_ALERT_WEBHOOK_URL: "https://a.example/hidden" },
      {},
      /must be set together/,
    ],
    [
      "have a secret that is too short",
      { SIGNALBOX_ALERT_WEBHOOK_URL: "https://a.example/hidden", SIGNALBOX_ALERT_WEBHOOK_SECRET: "whsec_aGlkZGVu" },
      {},
      /24 to 64 bytes in base64.*openssl rand/,
    ],
    ["have no valid URL", { SIGNALBOX_ALERT_SLACK_URL: "hidden" }, {}, /SIGNALBOX_ALERT_SLACK_URL is not a URL/],
    [
      "have a destination, but no rules",
      { SIGNALBOX_ALERT_SLACK_URL: "https://a.example/hidden" },
      { name: "a" },
      /Write alerts: \{\}/,
    ],
    [
      "would be sent to an endpoint of the service itself",
      {
        SIGNALBOX_BASE_URL: "https://hooks.example.com",
        SIGNALBOX_ALERT_WEBHOOK_URL: "https://hooks.example.com/triggers/hidden",
        SIGNALBOX_ALERT_WEBHOOK_SECRET: "whsec_aGlkZGVu",
      },
      {},
      /alerts about alerts/,
    ],
  ])("stop the start if alerts %s, without repeating the value", (_, env, project, message) => {
    const attempt = () => read(env, { alerts: {}, ...project, ...("name" in project ? { alerts: undefined } : {}) });
    expect(attempt).toThrow(SettingsError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/hidden/);
  });

  it.each([
    [
      { runFailed: { quietFor: "10s" } },
      /alerts\.runFailed: Must be true, false, or options such as \{ quietFor: "1h" \}/,
    ],
    [{ mismatches: { share: 2 } }, /alerts\.mismatches\.share: Too big/],
    [{ storeDown: true }, /alerts: storeDown is not a setting/],
  ])("reject alerts %j with the fix", (alerts, message) => {
    expect(() => parseProjectSettings({ alerts }, "signalbox.config.ts")).toThrow(message);
  });

  it("read the keys of encryption from a variable, or from a file", () => {
    const [first, second] = [Buffer.alloc(32, 251), Buffer.alloc(32, 2)];
    const projectDir = mkdtempSync(join(tmpdir(), "signalbox-keys-"));
    writeFileSync(join(projectDir, "keys.txt"), `${first.toString("base64")}\n${second.toString("base64")}\n`);
    const both = { isOn: true, keys: [first, second] };
    const on = { encryption: true };
    const keys = `${first.toString("base64url")}, ${second.toString("base64")}`;
    expect(read({ SIGNALBOX_ENCRYPTION_KEYS: keys }, on).encryption).toEqual(both);
    const env = { SIGNALBOX_ENCRYPTION_KEYS_FILE: "keys.txt", SIGNALBOX_ENCRYPTION: "true" };
    expect(readSettings({ projectDir, mode: "deployed", fromProject: {}, env }).encryption).toEqual(both);
    expect(read({ SIGNALBOX_ENCRYPTION: "false" }, on).encryption).toEqual({ isOn: false, keys: [] });
  });

  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    [
      "a key is too short",
      { SIGNALBOX_ENCRYPTION_KEYS: "aGlkZGVu" },
      /key 1 must be 32 bytes.*openssl rand -base64 32/,
    ],
    [
      "a key is not base64",
      { SIGNALBOX_ENCRYPTION_KEYS: `${Buffer.alloc(32, 1).toString("base64")} hidden-${"!".repeat(36)}` },
      /SIGNALBOX_ENCRYPTION_KEYS: key 2 must be 32 bytes/,
    ],
    ["the file is missing", { SIGNALBOX_ENCRYPTION_KEYS_FILE: "/nowhere" }, /\/nowhere cannot be read \(ENOENT\)/],
    [
      "both are set",
      { SIGNALBOX_ENCRYPTION_KEYS: "aGlkZGVu", SIGNALBOX_ENCRYPTION_KEYS_FILE: "/nowhere" },
      /are both set\. Unset one/,
    ],
  ])("stop the start if %s, without repeating the key", (_, env, message) => {
    expect(() => read(env)).toThrow(SettingsError);
    expect(() => read(env)).toThrow(message);
    expect(() => read(env)).not.toThrow(/hidden|aGlkZGVu/);
  });

  it("read OpenID Connect from the file and the environment, and require domains", () => {
    const oidc = {
      issuer: "https://login.example.com",
      clientId: "hooks",
      clientSecret: "in the file",
      domains: ["example.com"],
    };
    expect(read({ SIGNALBOX_OIDC_CLIENT_SECRET: "s", SIGNALBOX_OIDC_ROLE: "operator" }, { oidc }).oidc).toEqual({
      ...oidc,
      clientSecret: "s",
      role: "operator",
      name: "login.example.com",
    });
    expect(read({}).oidc).toBeNull();
    for (const domains of ["*", "", "example", "@example.com"])
      expect(() =>
        read({ SIGNALBOX_OIDC_DOMAINS: domains }, { oidc: { ...oidc, domains: domains === "" ? [] : oidc.domains } }),
      ).toThrow(/oidc\.domains/);
  });

  it("accept postgres and absolute file URLs", () => {
    expect(read({ SIGNALBOX_DATABASE_URL: "postgres://db/x" }).database).toEqual({
      kind: "postgres",
      url: "postgres://db/x",
    });
    expect(read({ SIGNALBOX_DATABASE_URL: "postgresql:///x?host=/tmp" }).database).toEqual({
      kind: "postgres",
      url: "postgresql:///x?host=/tmp",
    });
    expect(() => read({ SIGNALBOX_DATABASE_URL: "postgres://u:p/w@db:x/y" })).toThrow(
      /^SIGNALBOX_DATABASE_URL is not a valid URL\. It must be postgres:\/\/user:password@host:port\/database\. Encode special[^/]*\(@ as %40/,
    );
    expect(read({ SIGNALBOX_DATABASE_URL: "file:///var/lib/s.db" }).database).toEqual({
      kind: "sqlite",
      file: "/var/lib/s.db",
    });
    expect(read({ SIGNALBOX_DATABASE_URL: "file:data/s.db" }).database).toEqual({
      kind: "sqlite",
      file: "/srv/automations/data/s.db",
    });
  });

  it("contain the URL of the service", () => {
    expect(serviceUrl({ baseUrl: null, host: "0.0.0.0" }, 3000)).toBe("http://127.0.0.1:3000");
    expect(serviceUrl({ baseUrl: null, host: "::1" }, 3000)).toBe("http://[::1]:3000");
    expect(serviceUrl(read({ SIGNALBOX_BASE_URL: "https://hooks.example.com/" }), 3000)).toBe(
      "https://hooks.example.com",
    );
  });
});

describe("the secret", () => {
  it("is created once, stored, and readable only by its owner", () => {
    const stateDir = join(mkdtempSync(join(tmpdir(), "signalbox-secret-")), ".signalbox");
    const first = readSecret(stateDir, {});
    expect(first.length).toBeGreaterThanOrEqual(43);
    expect(readSecret(stateDir, {})).toBe(first);
    expect(statSync(join(stateDir, "secret")).mode & 0o777).toBe(0o600);
  });

  it("comes from SIGNALBOX_SECRET if it is set, and is rejected if too short, without echoing it", () => {
    expect(readSecret("/nowhere", { SIGNALBOX_SECRET: "0123456789abcdef" })).toBe("0123456789abcdef");
    expect(() => readSecret("/nowhere", { SIGNALBOX_SECRET: "hunter2" })).toThrow(/too short/);
    expect(() => readSecret("/nowhere", { SIGNALBOX_SECRET: "hunter2" })).not.toThrow(/hunter2/);
  });

  it("reports an empty file", () => {
    const stateDir = mkdtempSync(join(tmpdir(), "signalbox-secret-"));
    writeFileSync(join(stateDir, "secret"), "");
    expect(() => readSecret(stateDir, {})).toThrow(/contains no secret/);
    expect(readFileSync(join(stateDir, "secret"), "utf8")).toBe("");
  });
});
