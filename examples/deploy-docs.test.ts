/** The manifests and the files of platforms in docs/, next to the Dockerfile of a new project and the product. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { runFakeCli } from "../cli/commands/testing/fake-host.ts";
import { readSettings } from "../server/config.ts";
import { readDockerfile } from "../e2e/support/dockerfile.ts";

const repository = join(import.meta.dirname, "..");
const textOf = (file: string) => readFileSync(join(repository, file), "utf8");
const blocksOf = (page: string, language: string): string[] =>
  [...textOf(page).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, block = ""]) => block);

const image = readDockerfile(join(repository, "examples/starter/Dockerfile")).at(-1);
if (!image) throw new Error("The Dockerfile has no stage");
const port = Number(image.env["PORT"]);
/** The service stops within ten seconds after SIGTERM, or after it has waited for steps. */
const stopSeconds = 10;

/** A file that sets the drain, and the time after which the platform kills the service. */
function expectDrained(drainSeconds: unknown, killSeconds: unknown): void {
  const env = { SIGNALBOX_DRAIN_SECONDS: String(drainSeconds) };
  const { drainMs } = readSettings({ projectDir: "/app", mode: "deployed", fromProject: {}, env });
  expect(Number(killSeconds)).toBeGreaterThan(drainMs / 1_000 + stopSeconds);
}

interface Probe {
  httpGet: { path: string; port: string };
}
interface Container {
  image: string;
  command?: string[];
  env?: { name: string; value: string }[];
  envFrom: { secretRef: { name: string } }[];
  ports: { name: string; containerPort: number }[];
  startupProbe: Probe;
  readinessProbe: Probe;
  livenessProbe: Probe;
  lifecycle?: { preStop: { exec: { command: string[] } } };
  securityContext: { allowPrivilegeEscalation: boolean; capabilities: { drop: string[] } };
  volumeMounts?: { name: string; mountPath: string }[];
}
interface PodSpec {
  terminationGracePeriodSeconds: number;
  securityContext: { runAsNonRoot: boolean; runAsUser: number; fsGroup?: number };
  containers: Container[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  spec: {
    replicas?: number;
    selector: Record<string, string> & { matchLabels?: Record<string, string> };
    ports?: { port: number; targetPort: string }[];
    serviceName?: string;
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    volumeClaimTemplates?: { metadata: { name: string }; spec: { accessModes: string[] } }[];
  };
}

const page = "docs/kubernetes.md";
const [sqlite = [], postgres = []] = blocksOf(page, "yaml").map((block) =>
  parseAllDocuments(block, { strict: true }).map((document): Manifest => {
    if (document.errors[0]) throw document.errors[0];
    return document.toJS() as Manifest;
  }),
);
const podsOf = (manifests: Manifest[]) =>
  manifests.flatMap(({ metadata, spec }) =>
    spec.template ? [{ name: metadata.name, spec, pod: spec.template.spec }] : [],
  );
const kinds = (manifests: Manifest[]) =>
  manifests.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]);
const pods = [...podsOf(sqlite), ...podsOf(postgres)];

describe("the manifests in docs/kubernetes.md", () => {
  it("are a Service with a StatefulSet, and a Service with two Deployments", () => {
    expect(kinds(sqlite)).toEqual([
      ["v1", "Service", "signalbox"],
      ["apps/v1", "StatefulSet", "signalbox"],
    ]);
    expect(kinds(postgres)).toEqual([
      ["v1", "Service", "signalbox"],
      ["apps/v1", "Deployment", "signalbox-web"],
      ["apps/v1", "Deployment", "signalbox-worker"],
    ]);
  });

  it("select the pods that they create, and lead to their port", () => {
    for (const { spec } of pods) expect(spec.template?.metadata.labels).toEqual(spec.selector.matchLabels);
    for (const manifests of [sqlite, postgres]) {
      const [service] = manifests;
      const [target] = podsOf(manifests).filter(({ spec }) =>
        Object.entries(service?.spec.selector ?? {}).every(
          ([name, value]) => spec.template?.metadata.labels[name] === value,
        ),
      );
      const [container] = target?.pod.containers ?? [];
      expect(service?.spec.ports?.map(({ targetPort }) => targetPort)).toEqual(
        container?.ports.map(({ name }) => name),
      );
      expect(container?.ports.map(({ containerPort }) => containerPort)).toEqual([port]);
    }
  });

  it("run commands that exist, in the image of the Dockerfile, or the image's own", async () => {
    const commands = pods.map(({ pod }) => pod.containers[0]?.command);
    expect(commands.map((command) => command?.slice(2).join(" "))).toEqual([
      undefined,
      "start --role web",
      "worker --health-port 3001",
    ]);
    for (const command of commands) {
      if (!command) continue;
      expect(command.slice(0, 2)).toEqual(image.cmd.slice(0, 2));
      expect((await runFakeCli([...command.slice(2), "--help"])).exitCode).toBe(0);
    }
    expect(textOf(page)).toContain(`docker push ${pods[0]?.pod.containers[0]?.image}\n`);
    expect(new Set(pods.map(({ pod }) => pod.containers[0]?.image)).size).toBe(1);
  });

  it("probe routes that need no key, on a port of the container", () => {
    for (const { pod } of pods)
      for (const { startupProbe, readinessProbe, livenessProbe, ports } of pod.containers)
        for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
          expect(["/healthz", "/readyz"]).toContain(httpGet.path);
          expect(ports.map(({ name }) => name)).toContain(httpGet.port);
        }
    for (const { pod } of pods) expect(pod.containers[0]?.livenessProbe.httpGet.path).toBe("/healthz");
  });

  it("give the service the time that it needs to stop", () => {
    for (const { pod } of pods) {
      const [container] = pod.containers;
      const waits = Number(container?.lifecycle?.preStop.exec.command[1] ?? 0);
      // Without workers, there are no steps to wait for.
      const drain = container?.command?.includes("web")
        ? 0
        : container?.env?.find(({ name }) => name === "SIGNALBOX_DRAIN_SECONDS")?.value;
      expectDrained(drain, pod.terminationGracePeriodSeconds - waits);
    }
  });

  it("run as the user of the image, who may write the volume of the store, in one pod", () => {
    // The id of `node` in the official images of Node.
    expect(image.user).toBe("node");
    for (const { pod } of pods) expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    for (const { pod } of pods)
      expect(pod.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ["ALL"] },
      });
    const { spec, pod } = podsOf(sqlite)[0] ?? {};
    expect([spec?.replicas, pod?.securityContext.fsGroup]).toEqual([1, 1000]);
    expect(spec?.serviceName).toBe(sqlite[0]?.metadata.name);
    const [claim] = spec?.volumeClaimTemplates ?? [];
    expect(claim?.spec.accessModes).toEqual(["ReadWriteOnce"]);
    const [mount] = pod?.containers[0]?.volumeMounts ?? [];
    expect(mount?.name).toBe(claim?.metadata.name);
    expect(image.env["SIGNALBOX_DATABASE_URL"]).toBe(`file:${mount?.mountPath}/signalbox.db`);
  });

  it("take secrets from the Secret that the page creates, and set variables that the service accepts", () => {
    const created = new Set([...textOf(page).matchAll(/create secret generic (\S+)/g)].map(([, name]) => name));
    expect(created.size).toBe(1);
    for (const { pod } of pods)
      for (const { env = [], envFrom } of pod.containers) {
        expect(envFrom.map(({ secretRef }) => secretRef.name)).toEqual([...created]);
        expectAccepted(Object.fromEntries(env.map(({ name, value }) => [name, value])));
      }
  });
});

describe("the files in docs/platforms.md", () => {
  const of = "docs/platforms.md";

  it("fly.toml leads to the port of the image, never stops the machine, and lets the service stop", () => {
    const [toml = ""] = blocksOf(of, "toml");
    const valueOf = (name: string) => new RegExp(`^ *${name} = "?([^"#\\n]*?)"? *(?:#.*)?$`, "m").exec(toml)?.[1];
    expect(Number(valueOf("internal_port"))).toBe(Number(valueOf("PORT")));
    expect(valueOf("auto_stop_machines")).toBe("off");
    expect(valueOf("kill_signal")).toBe("SIGTERM");
    expectDrained(valueOf("SIGNALBOX_DRAIN_SECONDS"), valueOf("kill_timeout"));
    expect(valueOf("path")).toBe("/readyz");
    expect(image.env["SIGNALBOX_DATABASE_URL"]).toContain(`file:${valueOf("destination")}/`);
    expectAccepted({ PORT: valueOf("PORT"), SIGNALBOX_BASE_URL: valueOf("SIGNALBOX_BASE_URL") });
  });

  it("railway.json waits for the service, and lets it stop; the Dockerfile has no VOLUME, which Railway rejects", () => {
    const [json = ""] = blocksOf(of, "json");
    const { deploy } = JSON.parse(json) as { deploy: { healthcheckPath: string; drainingSeconds: number } };
    expect(deploy.healthcheckPath).toBe("/readyz");
    expectDrained(/`SIGNALBOX_DRAIN_SECONDS=(\d+)`/.exec(textOf(of))?.[1], deploy.drainingSeconds);
    expect(image.steps.map(({ name }) => name)).not.toContain("VOLUME");
  });

  it("render.yaml has the disk of the store, and variables that the service accepts", () => {
    const [yaml = ""] = blocksOf(of, "yaml");
    const { services } = parse(yaml, { strict: true }) as {
      services: {
        healthCheckPath: string;
        maxShutdownDelaySeconds: number;
        disk: { mountPath: string };
        envVars: { key: string; value?: string }[];
      }[];
    };
    const [service] = services;
    expect(service?.healthCheckPath).toBe("/readyz");
    expectDrained(
      service?.envVars.find(({ key }) => key === "SIGNALBOX_DRAIN_SECONDS")?.value,
      service?.maxShutdownDelaySeconds,
    );
    expect(image.env["SIGNALBOX_DATABASE_URL"]).toContain(`file:${service?.disk.mountPath}/`);
    expectAccepted(Object.fromEntries((service?.envVars ?? []).map(({ key, value }) => [key, value])));
  });

  it("the command for a volume of root ends with the command of the image", () => {
    const [dockerfile = ""] = blocksOf(of, "dockerfile");
    const command = JSON.parse(dockerfile.replace("CMD ", "")) as string[];
    expect(command.slice(0, 2)).toEqual(["sh", "-c"]);
    expect(command[2]).toMatch(new RegExp(`&& exec setpriv .* ${image.cmd.join(" ")}$`));
  });
});

describe("the unit of systemd and the files of Docker Compose", () => {
  it("wait for the steps in flight before they kill the service", () => {
    const [unit = ""] = blocksOf("docs/deploying.md", "ini");
    const valueOf = (name: string) => new RegExp(`^${name}=(\\d+)$`, "m").exec(unit)?.[1];
    expectDrained(valueOf("Environment=SIGNALBOX_DRAIN_SECONDS"), valueOf("TimeoutStopSec"));
    const files = ["starter", "several-machines"].map((name) =>
      parse(textOf(`examples/${name}/compose.yaml`), { merge: true }),
    );
    const services = files.flatMap((file: { services: Record<string, ComposeService> }) =>
      Object.values(file.services).filter(({ build }) => build !== undefined),
    );
    expect(services).toHaveLength(4);
    for (const { environment, stop_grace_period: grace } of services)
      expectDrained(environment.SIGNALBOX_DRAIN_SECONDS, grace.replace(/s$/, ""));
  });
});

interface ComposeService {
  build?: string;
  stop_grace_period: string;
  environment: { SIGNALBOX_DRAIN_SECONDS?: number };
}

function expectAccepted(env: NodeJS.ProcessEnv): void {
  expect(Object.keys(env).length).toBeLessThan(5);
  expect(() => readSettings({ projectDir: "/app", mode: "deployed", fromProject: {}, env })).not.toThrow();
}
