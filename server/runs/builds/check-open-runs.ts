import type { BuildOutline, Misfit, OpenRunCheck } from "../../contract/project/build.ts";
import type { StepCall } from "../../contract/project/manifest.ts";
import { targetName } from "../../contract/project/target.ts";
import { chooseBuild } from "../../domain/runs/run-builds.ts";
import { findMissingSteps } from "../../domain/runs/missing-steps.ts";
import type { Builds } from "../../ports/builds.ts";
import type { InputChecks } from "../../ports/input-checks.ts";
import type { OpenRun, OpenRunRecord, OpenRunStore } from "../../ports/store/open-run-store.ts";

/** Each takes a moment, so very many are not all checked. */
const maxChecked = 10_000;
const maxListed = 20;
/** Their inputs are in memory together. */
const readAtOnce = 50;

/**
 * Compares the open runs with a build before it becomes current. Finds missing targets and triggers, inputs that its
 * Zod schemas reject, and steps that its code no longer has. A run that does not fit fails if it continues on that
 * build. A run without an input yet is checked by its target and trigger only.
 */
export async function checkOpenRuns(
  { store, builds, inputs }: { store: OpenRunStore; builds: Builds; inputs: InputChecks },
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
  const stepsBefore = await readSteps(builds, new Set(runs.map(({ version }) => version)));
  const found: Misfit[] = [];
  let uncheckedInputs = 0;

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
    else unread.push(run);
  }
  for (let at = 0; at < unread.length; at += readAtOnce) {
    const portion = unread.slice(at, at + readAtOnce);
    const records = new Map((await store.readOpenRuns(portion.map(({ id }) => id))).map((one) => [one.id, one]));
    for (const run of portion) {
      const record = records.get(run.id);
      const target = targets.get(targetName(run.target));
      if (record && target) await checkRecord(run, record, target);
    }
  }

  async function checkRecord(
    run: OpenRun,
    record: OpenRunRecord,
    target: BuildOutline["targets"][number],
  ): Promise<void> {
    const { attachmentId } = run;
    if (record.input === null) {
      if (attachmentId !== null && !triggers.has(attachmentId))
        report(run, "trigger", `Trigger ${attachmentId} is not in the build.`);
      return;
    }
    const issues = await inputs.check({ version: outline.id, target: run.target, input: record.input });
    if (issues === null) uncheckedInputs += 1;
    const [issue] = issues ?? [];
    if (issue) return report(run, "input", `input${issue.pointer}: ${issue.message}`);
    const before = stepsBefore.get(`${run.version} ${targetName(run.target)}`) ?? [];
    const [missing] = findMissingSteps(record.steps, { before, after: target.steps });
    if (missing)
      report(run, "step", `The ${callWords[missing.kind]} ${JSON.stringify(missing.name)} is not in the code.`);
  }

  const isFailing = ({ continuesOn }: Misfit) => continuesOn === outline.id;
  return {
    openRuns: [...counts.values()].reduce((sum, count) => sum + count, 0),
    checkedRuns: runs.length,
    uncheckedInputs,
    misfits: found.length,
    failing: found.filter(isFailing).length,
    data: [...found.filter(isFailing), ...found.filter((one) => !isFailing(one))].slice(0, maxListed),
    neededBuilds: [...counts.keys()].sort(),
  };
}

const callWords = { step: "step", sleep: "sleep", event: "wait", child: "child run" } as const satisfies Record<
  StepCall["kind"],
  string
>;

/** The steps in the code that accepted runs, by version and target. Builds that this machine does not keep are omitted. */
async function readSteps(
  builds: Builds,
  versions: ReadonlySet<string>,
): Promise<ReadonlyMap<string, readonly StepCall[]>> {
  const steps = new Map<string, readonly StepCall[]>();
  for (const version of versions) {
    const manifest = await builds.read(version);
    for (const one of manifest?.workflows ?? []) steps.set(`${version} workflow:${one.slug}`, one.steps);
    for (const one of manifest?.agents ?? []) steps.set(`${version} agent:${one.slug}`, one.steps);
  }
  return steps;
}
