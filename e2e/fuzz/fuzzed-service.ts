import { setTimeout as delay } from "node:timers/promises";
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { sampleProcesses, sizeMb } from "../../bench/soak/sample.ts";
import type { OnCleanup } from "../../scripts/cleanups.ts";
import { errorCodes } from "../../server/contract/error-codes.ts";
import { startHostileService } from "../hostile/hostile-service.ts";
import { getJson } from "../support/api.ts";
import { drawCase } from "./draw.ts";
import type { Target } from "./fuzz.ts";
import { fuzzedProject, signingSecret, webhookRoutes } from "./fuzzed-project.ts";
import type { FuzzValues } from "./request.ts";
import { measureRetainedMb, memoryReportOption } from "./retained-memory.ts";
import { sendWire } from "./send-wire.ts";
import { writeWire } from "./write-wire.ts";

const recordedOfEach = 4;

/**
 * Starts the built service as it is deployed, on SQLite, and sends it the webhooks that its routes then show. Cases
 * come from many addresses, as a trusted proxy reports them.
 */
export async function startFuzzedService(onCleanup?: OnCleanup): Promise<Target> {
  const service = await startHostileService(
    { files: fuzzedProject, env: { SIGNALBOX_TRUST_PROXY: "127.0.0.1", NODE_OPTIONS: memoryReportOption } },
    onCleanup,
  );
  const { port, key, projectDir, child } = service;
  const token = service.createToken("read");
  const sensitive = `canary${randomBytes(12).toString("hex")}`;
  const values: FuzzValues = {
    host: `127.0.0.1:${port}`,
    webhookKey: key,
    token,
    cookie: `signalbox_session=${token}`,
    sensitive,
    ids: {},
    known: [],
    cursors: [],
  };
  await recordWebhooks(port, values);
  const database = join(projectDir, ".signalbox/signalbox.db");
  const began = performance.now();
  return {
    port,
    values: { ...values, ...(await readIds(service.url, token)) },
    secrets: {
      "the webhook key": key,
      "the API token": token,
      "the secret of signatures": signingSecret,
      "the token of an admin": service.token,
    },
    log: service.output,
    sample: () => ({
      minute: (performance.now() - began) / 60_000,
      processes: sampleProcesses(child.pid ?? 0),
      walMb: sizeMb(`${database}-wal`),
      databaseMb: sizeMb(database),
      openRuns: 0,
    }),
    async measureRetained() {
      const processes = sampleProcesses(child.pid ?? 0).filter(({ name }) => name !== "other");
      return Object.fromEntries(
        await Promise.all(processes.map(async ({ name, pid }) => [name, await measureRetainedMb(pid)] as const)),
      );
    },
  };
}

async function recordWebhooks(port: number, values: FuzzValues): Promise<void> {
  for (let number = 0; number < recordedOfEach; number += 1)
    for (const route of webhookRoutes) {
      const draw = drawCase(0, number);
      await sendWire(port, writeWire(draw, route.request(draw, values)));
    }
  // Their runs end meanwhile.
  await delay(1_000);
}

interface Page {
  data: { id?: string; slug?: string }[];
  nextCursor?: string | null;
}

async function readIds(url: string, token: string): Promise<Pick<FuzzValues, "ids" | "known" | "cursors">> {
  const read = (path: string) => getJson<Page>(`${url}/api/v1/${path}`, { authorization: `Bearer ${token}` });
  const [runs, deliveries] = [await read("runs?limit=5"), await read("deliveries?limit=50")];
  const [triggers, builds] = [await read("triggers"), await read("builds")];
  const ids = {
    runs: idsOf(runs),
    deliveries: idsOf(deliveries),
    triggers: triggers.data.flatMap(({ slug }) => slug ?? []),
    workflows: ["note", "admit"],
    builds: idsOf(builds),
  };
  return {
    ids: { ...ids, files: ["0", "1"], errors: Object.keys(errorCodes) },
    known: Object.values(ids).flatMap((some) => some.slice(0, 5)),
    cursors: [runs, deliveries].flatMap(({ nextCursor }) => nextCursor ?? []),
  };
}

function idsOf({ data }: Page): string[] {
  return data.flatMap(({ id }) => id ?? []);
}
