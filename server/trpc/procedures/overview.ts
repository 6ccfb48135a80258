import type { RunSummary } from "../../contract/run.ts";
import { listRuns } from "../../runs/list-runs.ts";
import { type Trigger, listTriggers } from "../../triggers/list-triggers.ts";
import { type TrpcDeps, procedure } from "../trpc.ts";

/** The project at a glance: endpoints, their triggers, the targets of each, and how each target's last run went. */
export const overview = procedure.query(async ({ ctx }) => {
  const { version, builtAt } = ctx.project.current().manifest;
  const triggers = listTriggers(ctx);
  const byEndpoint = Map.groupBy(triggers, ({ endpoint }) => endpoint);
  const endpoints = [...byEndpoint].map(async ([endpoint, attached]) => ({
    endpoint,
    path: `/triggers/${endpoint}`,
    triggers: await Promise.all([...Map.groupBy(attached, ({ slug }) => slug)].map(([slug, attachments]) => describeTrigger(ctx, slug, attachments))),
  }));
  return { name: ctx.name, version, builtAt, mode: ctx.mode, endpoints: await Promise.all(endpoints) };
});

async function describeTrigger(deps: TrpcDeps, slug: string, attachments: Trigger[]) {
  const targets = attachments.map(async ({ attachmentId, target, file, hasTransform }) => ({
    attachmentId,
    target,
    file,
    hasTransform,
    lastRun: await lastRunOf(deps, slug, target.slug),
  }));
  return { slug, hasFilter: attachments.some(({ filter }) => filter !== null), targets: await Promise.all(targets) };
}

async function lastRunOf(deps: TrpcDeps, trigger: string, target: string): Promise<Pick<RunSummary, "id" | "status" | "createdAt" | "finishedAt"> | null> {
  const { data } = await listRuns(deps, { filter: { trigger, target }, page: { limit: 1, cursor: null } });
  const [run] = data;
  return run ? { id: run.id, status: run.status, createdAt: run.createdAt, finishedAt: run.finishedAt } : null;
}
