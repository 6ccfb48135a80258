import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startCluster } from "../../scripts/postgres-cluster.ts";
import { query } from "../auditor/read-postgres.ts";
import { ask, preparePlatform, startMachine } from "./cut-machine.ts";
import { type Cut, cutByNamespace, cutByProxy } from "./cut-network.ts";

/**
 * In CI by a proxy that forwards nothing. With namespaces of the network, as root: `FAULTS_NETWORK=namespace npx vitest
 * run --project e2e e2e/faults/postgres-cut.test.ts`.
 */
const byNamespace = process.env["FAULTS_NETWORK"] === "namespace";
/** A lease, and the time until it is checked. CI machines may pause for some seconds. */
const takenWithinMs = byNamespace ? 15_000 : 20_000;
/** The time limit of a response. */
const rejectedWithinMs = byNamespace ? 11_000 : 13_000;
/** The timeout of an unanswered statement, 10 s, then of a connection attempt, 5 s. */
const checkedWithinMs = byNamespace ? 16_000 : 20_000;

async function openWay(name: string, net: string, port: number): Promise<Cut> {
  const way = byNamespace ? cutByNamespace({ name, net, port }) : await cutByProxy({ host: "127.0.0.1", port });
  if (!way)
    throw new Error(
      "A network namespace could not be made: that needs root and iproute2. Without FAULTS_NETWORK, a proxy is used instead.",
    );
  onTestFinished(() => way.close());
  return way;
}

async function startDatabase() {
  const cluster = await startCluster(byNamespace ? { listen: "*" } : {});
  onTestFinished(() => cluster.remove());
  await cluster.createDatabase("cut");
  return cluster;
}

const databaseBy = ({ host, port }: Cut) => `postgres://signalbox@${host}:${port}/cut`;

describe("a network that drops everything between a machine and Postgres", () => {
  it("makes a worker lose its runs within 15 seconds, and its late writes are rejected; web answers 503 within ten seconds; both recover by themselves", async () => {
    const cluster = await startDatabase();
    const platform = preparePlatform(cluster.url("cut"));
    const [toWeb, toWorker] = [
      await openWay("sbweb", "10.231.1", cluster.port),
      await openWay("sbwork", "10.231.2", cluster.port),
    ];
    const [web, other, cutOff] = await Promise.all([
      startMachine(platform, { name: "web", role: "web", database: databaseBy(toWeb), way: toWeb }),
      startMachine(platform, { name: "other web", role: "web", database: cluster.url("cut") }),
      startMachine(platform, { name: "cut off", role: "worker", database: databaseBy(toWorker), way: toWorker }),
    ]);
    const send = (n: number, by: { way: Cut | null; url: string }) =>
      ask(by.way, { url: `${by.url}/triggers/walks`, key: platform.key, body: { n, isLong: n <= 3 } });
    const direct = { way: null, url: other.url };
    const cutWeb = { way: toWeb, url: web.url };

    const long = [1, 2, 3];
    for (const n of long) expect((await send(n, n === 1 ? cutWeb : direct)).status).toBe(202);
    await vi.waitFor(() => expect(new Set(platform.effects().map(({ n }) => n))).toEqual(new Set(long)));
    const helper = await startMachine(platform, { name: "helper", role: "worker", database: cluster.url("cut") });
    expect(new Set(platform.effects().map(({ machine }) => machine))).toEqual(new Set(["cut off"]));

    toWeb.cut();
    toWorker.cut();
    const cutAt = Date.now();
    const rejections = Promise.all([1, 2, 3].map(() => send(100, cutWeb)));
    await vi.waitFor(
      () =>
        expect(
          new Set(
            platform
              .effects()
              .filter(({ machine }) => machine === "helper")
              .map(({ n }) => n),
          ),
        ).toEqual(new Set(long)),
      { timeout: takenWithinMs + 10_000, interval: 50 },
    );
    const taken = platform.effects().filter(({ machine, at }) => machine === "helper" && at >= cutAt);
    const firstOf = long.map((n) => Math.min(...taken.filter((effect) => effect.n === n).map(({ at }) => at)) - cutAt);
    console.log(`taken over after ${firstOf.join(", ")} ms`);
    expect(Math.max(...firstOf)).toBeLessThan(takenWithinMs);
    for (const { status, ms, retryAfter } of await rejections) {
      expect([status, Number(retryAfter) > 0]).toEqual([503, true]);
      expect(ms).toBeLessThan(rejectedWithinMs);
    }
    expect((await ask(toWeb, { url: `${web.url}/healthz`, key: platform.key })).status).toBe(200);
    const ready = await ask(toWeb, { url: `${web.url}/readyz`, key: platform.key });
    expect(ready.status).toBe(503);
    expect(ready.ms).toBeLessThan(checkedWithinMs);

    const healedAt = Date.now();
    toWeb.heal();
    toWorker.heal();
    await vi.waitFor(async () => expect((await send(4, cutWeb)).status).toBe(202));
    console.log(`web took a webhook again after ${Date.now() - healedAt} ms`);
    // Only one that was cut off is left.
    await helper.stop();
    expect((await send(5, direct)).status).toBe(202);
    await vi.waitFor(() =>
      expect(
        platform
          .effects()
          .filter(({ machine }) => machine === "cut off")
          .map(({ n }) => n),
      ).toContain(5),
    );
    console.log(`the worker took a run again after ${Date.now() - healedAt} ms`);
    platform.enough();
    await vi.waitFor(async () =>
      expect(await query(cluster.url("cut"), "SELECT status FROM run WHERE status <> 'completed'")).toEqual([]),
    );

    for (const n of long) expect(repeatsOf(platform.effects().filter((effect) => effect.n === n))).toEqual([]);
    expect(platform.effects().filter(({ n }) => n === 100)).toEqual([]);
    expect(cutOff.output()).toContain("lease renewal failed");
  });
});

/**
 * Steps that began again although they had ended, or in another order. The step during which its process was cut off or
 * stopped may occur twice.
 */
function repeatsOf(effects: readonly { machine: string; step: number }[]): string[] {
  return effects.flatMap(({ machine, step }, at) => {
    const before = effects[at - 1];
    if (!before || step === before.step + 1 || (step === before.step && machine !== before.machine)) return [];
    return [`${machine} began step ${step} after ${before.machine} had begun ${before.step}`];
  });
}
