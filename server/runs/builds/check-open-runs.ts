import type { BuildOutline, Misfit, OpenRunCheck } from "../../contract/project/build.ts";
import type { StepCall } from "../../contract/project/manifest.ts";
import { targetName } from "../../contract/project/target.ts";
import { chooseBuild } from "../../domain/runs/run-builds.ts";
import { findMissingSteps } from "../../domain/runs/missing-steps.ts";
import type { Builds } from "../../ports/builds.ts";
import type { OpenRun, OpenRunRecord, OpenRunStore } from "../../ports/store/open-run-store.ts";
import { checkInput } from "../check-input.ts";

/** Each takes a moment, so very many are not all checked. */
const maxChecked = 10_000;
const maxListed = 20;
/** Their inputs are in memory together. */
const readAtOnce = 50;

/** A target in the build that accepted a run. */
interface Accepted {
  input: unknown;
  steps: readonly StepCall[];
}

/**
 * Compares the open runs with a build before it becomes current. Finds missing targets and triggers, inputs that its
 * schemas reject, and steps that its code no longer has. A run that does not fit fails if it continues on that
 * build. A run without an input yet is checked by its target and trigger only.
 */
export async function checkOpenRuns(
  { store, builds }: { store: OpenRunStore; builds: Builds },
  outline: BuildOutline,
): Promise<OpenRunCheck> {
  const [counts, runs, kept] = await Promise.all([
    store.countOpenRunsByVersion(),
    store.listOpenRuns({ limit: maxChecked }),
    builds.list(),
  ]);
  const targets = new Map(outline.targets.map((one) => [targetName(one.target), one]));
  const triggers = new Set(outline.triggers);
  const workerBuilds = {
    version: outline.id,
    keptVersions: new Set(kept.map(({ id }) => id)),
    latestTargets: new Set(
      outline.targets.filter(({ versions }) => versions === "latest").map((one) => targetName(one.target)),
    ),
  };
  const accepted = await readAccepted(builds, new Set(runs.map(({ version }) => version)));
  const found: Misfit[] = [];

  function report({ id, version, target }: OpenRun, problem: Misfit["problem"], detail: string): void {
    const choice = chooseBuild({ version, target: targetName(target) }, workerBuilds);
    found.push({ runId: id, target, build: version, problem, detail, continuesOn: choice?.version ?? outline.id });
  }

  const unread: OpenRun[] = [];
  for (const run of runs) {
    const target = targets.get(targetName(run.target));
    if (run.version === outline.id) continue;
    if (!target)
      report(
        run,
        "target",
        `${run.target.kind === "agent" ? "Agent" : "Workflow"} ${run.target.slug} is not in the build.`,
      );
    else if (!isUnchanged(accepted.get(`${run.version} ${targetName(run.target)}`), target)) unread.push(run);
    else if (run.attachmentId !== null && !triggers.has(run.attachmentId)) unread.push(run);
  }
  for (let at = 0; at < unread.length; at += readAtOnce) {
    const portion = unread.slice(at, at + readAtOnce);
    const records = new Map((await store.readOpenRuns(portion.map(({ id }) => id))).map((one) => [one.id, one]));
    for (const run of portion) {
      const record = records.get(run.id);
      const target = targets.get(targetName(run.target));
      if (record && target) checkRecord(run, record, target);
    }
  }

  function checkRecord(run: OpenRun, record: OpenRunRecord, target: BuildOutline["targets"][number]): void {
    const { attachmentId } = run;
    if (record.input === null) {
      if (attachmentId !== null && !triggers.has(attachmentId))
        report(run, "trigger", `Trigger ${attachmentId} is not in the build.`);
      return;
    }
    const [issue] = checkInput(target.input, record.input);
    if (issue) return report(run, "input", `input${issue.pointer}: ${issue.message}`);
    const before = accepted.get(`${run.version} ${targetName(run.target)}`)?.steps ?? [];
    const [missing] = findMissingSteps(record.steps, { before, after: target.steps });
    if (missing) report(run, "step", `The ${missing.kind} ${JSON.stringify(missing.name)} is not in the code.`);
  }

  const isFailing = ({ continuesOn }: Misfit) => continuesOn === outline.id;
  return {
    openRuns: [...counts.values()].reduce((sum, count) => sum + count, 0),
    checkedRuns: runs.length,
    misfits: found.length,
    failing: found.filter(isFailing).length,
    data: [...found.filter(isFailing), ...found.filter((one) => !isFailing(one))].slice(0, maxListed),
    neededBuilds: [...counts.keys()].sort(),
  };
}

/** By version and target. Builds that this machine does not keep are omitted. */
async function readAccepted(builds: Builds, versions: ReadonlySet<string>): Promise<ReadonlyMap<string, Accepted>> {
  const accepted = new Map<string, Accepted>();
  for (const version of versions) {
    const manifest = await builds.read(version);
    for (const one of manifest?.workflows ?? []) accepted.set(`${version} workflow:${one.slug}`, one);
    for (const one of manifest?.agents ?? []) accepted.set(`${version} agent:${one.slug}`, one);
  }
  return accepted;
}

/** Whether every run of the target fits: the schema is the same, and no step was removed. */
function isUnchanged(before: Accepted | undefined, after: Accepted): boolean {
  if (!before || JSON.stringify(before.input) !== JSON.stringify(after.input)) return false;
  return findMissingSteps(before.steps, { before: before.steps, after: after.steps }).length === 0;
}
