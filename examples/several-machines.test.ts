import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runFakeCli } from "../cli/commands/testing/fake-host.ts";
import { readDockerfile } from "../e2e/support/dockerfile.ts";

const folder = join(import.meta.dirname, "several-machines");
const compose = readFileSync(join(folder, "compose.yaml"), "utf8");
const nginx = readFileSync(join(folder, "nginx.conf"), "utf8");

/** The lists behind a name, which compose reads as JSON does. */
function listsOf(name: string): string[][] {
  return [...compose.matchAll(new RegExp(`^ +${name}: (\\[.*\\])$`, "gm"))].map(
    ([, list = ""]) => JSON.parse(list) as string[],
  );
}

describe("the compose file for several machines", () => {
  it("runs existing commands", async () => {
    const commands = listsOf("command");
    expect(commands.map((command) => command.slice(2).join(" "))).toEqual([
      "store migrate",
      "start --role web",
      "worker --health-port 3001",
    ]);
    for (const [program, script, ...args] of commands) {
      expect([program, script]).toEqual(["node", "node_modules/signalbox/bin/signalbox.cjs"]);
      expect((await runFakeCli([...args, "--help"])).exitCode).toBe(0);
    }
  });

  it("checks the health of each service on its port", () => {
    const tests = listsOf("test").map((test) => test.join(" "));
    expect(tests).toEqual([
      expect.stringContaining("pg_isready"),
      expect.stringContaining(":3000/healthz"),
      expect.stringContaining(":3001/readyz"),
      expect.stringContaining(":8080/healthz"),
    ]);
    expect(nginx).toContain("listen 8080;");
    expect(nginx).toContain("proxy_pass http://$web:3000;");
  });

  it("keeps the builds of earlier versions on a volume of all services, in the folder that the Dockerfile names", () => {
    const document = parse(compose, { merge: true }) as {
      services: Record<string, { image: string; volumes?: string[] }>;
      volumes: Record<string, unknown>;
    };
    const own = Object.values(document.services).filter(({ image }) => image === "my-hooks");
    expect(own).toHaveLength(3);
    const builds = readDockerfile(join(folder, "../starter/Dockerfile")).at(-1)?.env["SIGNALBOX_BUILDS_DIR"];
    for (const { volumes } of own) {
      const [[name = "", path = ""] = []] = (volumes ?? []).map((volume) => volume.split(":"));
      expect(builds).toMatch(new RegExp(`^${path}/`));
      expect(Object.keys(document.volumes)).toContain(name);
    }
  });

  it("requires the secret and the password", () => {
    for (const name of ["SIGNALBOX_SECRET", "POSTGRES_PASSWORD"]) {
      const uses = compose.match(new RegExp(String.raw`\$\{${name}[^}]*\}`, "g")) ?? [];
      expect(uses.length).toBeGreaterThan(0);
      for (const use of uses) expect(use).toMatch(/:\?Create it once/);
    }
  });

  it("streams through nginx, logs no keys, and passes paths and bodies unchanged", () => {
    for (const line of [
      "proxy_buffering off;",
      "proxy_request_buffering off;",
      "merge_slashes off;",
      "client_max_body_size 0;",
      "access_log /dev/stdout no_query;",
    ])
      expect(nginx).toContain(line);
    expect(/log_format no_query '(.*)'/.exec(nginx)?.[1]).not.toMatch(
      /\$(request|args|query_string|request_uri|http_\w+)\b/,
    );
  });
});
