import Database from "better-sqlite3";
import { expect, vi } from "vitest";
import { z } from "zod";
import { openStored } from "../../scripts/open-stored.ts";
import type { FaultyService } from "./faulty-service.ts";
import type { Answer } from "./load.ts";

const rows = z.array(z.object({ id: z.string(), status: z.string(), attempt: z.number() }));

/** The runs on disk, read without the product's own code. */
export function readRuns(file: string): z.infer<typeof rows> {
  const db = openStored(file);
  try {
    return rows.parse(db.prepare("SELECT id, status, attempt FROM stored_run ORDER BY id").all());
  } finally {
    db.close();
  }
}

/** Every 202 has its run, every run has ended well, and no step was executed twice; the file is sound. */
export async function expectNothingLost(
  service: Pick<FaultyService, "file" | "effects" | "output">,
  answers: readonly Answer[],
  p: { isExactlyOnce?: boolean; withinMs?: number } = {},
): Promise<void> {
  const open = () => readRuns(service.file).filter(({ status }) => ["queued", "waiting", "running"].includes(status));
  await vi.waitFor(() => expect(open().slice(0, 3)).toEqual([]), { timeout: p.withinMs ?? 180_000, interval: 100 });
  const runs = new Map(readRuns(service.file).map((run) => [run.id, run]));
  const accepted = answers.filter(({ status }) => status === 202);
  expect(accepted.filter(({ runId }) => runId === null || runs.get(runId)?.status !== "completed")).toEqual([]);
  const effects = new Map<string, number>();
  for (const effect of service.effects()) effects.set(effect, (effects.get(effect) ?? 0) + 1);
  const wanted = accepted.flatMap(({ n }) => [`${n}:first`, `${n}:second`]);
  expect(wanted.filter((effect) => !effects.has(effect))).toEqual([]);
  if (p.isExactlyOnce ?? true) expect([...effects].filter(([, times]) => times > 1)).toEqual([]);
  expect(checkIntegrity(service.file)).toBe("ok");
}

/** The only allowed responses: no 500, no timeout. Every 503 has Retry-After. */
export function expectAnswersOf(answers: readonly Answer[], statuses: readonly number[]): void {
  expect(answers.filter(({ status }) => !statuses.includes(status)).slice(0, 5)).toEqual([]);
  const rejected = answers.filter(({ status }) => status === 503);
  expect(
    rejected
      .filter(
        ({ code, retryAfter }) => !/^(store_unavailable|shutting_down)$/.test(code ?? "") || !(Number(retryAfter) > 0),
      )
      .slice(0, 5),
  ).toEqual([]);
}

export async function statusOf(url: string): Promise<{ status: number; text: string; durationMs: number }> {
  const startedAt = performance.now();
  const response = await fetch(url, { signal: AbortSignal.timeout(60_000) });
  return { status: response.status, text: await response.text(), durationMs: performance.now() - startedAt };
}

export function linesWith(output: string, text: string): string[] {
  return output.split("\n").filter((line) => line.includes(text));
}

function checkIntegrity(file: string): string {
  const db = new Database(file, { readonly: true, timeout: 10_000 });
  try {
    return z.string().parse(db.pragma("integrity_check", { simple: true }));
  } finally {
    db.close();
  }
}
