import { readClientSettings } from "../../api/running-server.ts";
import { existsSync } from "node:fs";
import { readSettings } from "../../../server/config.ts";
import {
  type BuildOutline,
  type Misfit,
  type OpenRunCheck,
  openRunCheckSchema,
} from "../../../server/contract/project/build.ts";
import type { Manifest, ManifestAgent, ManifestWorkflow } from "../../../server/contract/project/manifest.ts";
import type { TargetKind } from "../../../server/contract/project/target.ts";
import { formatCount, formatNumber } from "../../../server/shared/format.ts";
import type { ApiClient } from "../../api/api-client.ts";
import { Failure } from "../../terminal/failure.ts";
import { plainLine } from "../../terminal/plain-text.ts";
import type { CommandContext } from "../command-context.ts";

const maxDetailChars = 200;

/**
 * Whether there is a store with runs that a build may concern: that of the service at SIGNALBOX_URL, or of the project.
 * `unknown`: it cannot be read without changing it. With `isStrict`, that is a Failure.
 */
export async function findStore(
  { projectDir, notify }: Pick<CommandContext, "projectDir" | "notify">,
  manifest: Manifest,
  { isStrict }: { isStrict: boolean },
): Promise<"readable" | "unknown" | "none"> {
  if (readClientSettings()) return "readable";
  const { database } = readSettings({ projectDir, mode: "deployed", fromProject: manifest.settings });
  if (database.kind === "sqlite" && !existsSync(database.file)) return "none";
  try {
    const pending = await countPendingMigrations(database);
    if (pending === 0) return "readable";
    throw new Failure(`the store has ${formatCount(pending, "pending migration")}.`, {
      code: "pending_migrations",
      fix: "Run `signalbox store migrate` first.",
    });
  } catch (error) {
    if (isStrict) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    notify(`Open runs were not compared with this build: ${reason}`);
    return "unknown";
  }
}

async function countPendingMigrations(database: ReturnType<typeof readSettings>["database"]): Promise<number> {
  if (database.kind === "sqlite") {
    const { countPendingMigrations: count } = await import("../../../server/store/sqlite/file/inspect-database.ts");
    return count(database.file);
  }
  const { inspectPostgres } = await import("../../../server/store/postgres/inspect-database.ts");
  return (await inspectPostgres(database.directUrl ?? database.url)).pendingMigrations;
}

/** Compares the open runs with a build. */
export function checkOpenRuns(api: ApiClient, manifest: Manifest): Promise<OpenRunCheck> {
  return api.request({ method: "POST", path: "/builds/check", body: outlineOf(manifest), answer: openRunCheckSchema });
}

function outlineOf({ version, triggers, workflows, agents }: Manifest): BuildOutline {
  return {
    id: version,
    triggers: triggers.map(({ attachmentId }) => attachmentId),
    targets: [
      ...workflows.map((workflow) => targetOutline("workflow", workflow)),
      ...agents.map((agent) => targetOutline("agent", agent)),
    ],
  };
}

function targetOutline(
  kind: TargetKind,
  { slug, steps, versions }: ManifestWorkflow | ManifestAgent,
): BuildOutline["targets"][number] {
  return { target: { kind, slug }, steps, versions };
}

/** The open runs that do not fit a build, and those that could not be checked, in some lines; `null`: all fit. */
export function describeOpenRuns(check: OpenRunCheck): string | null {
  return [describeMisfits(check), describeUnchecked(check)].filter((text) => text !== null).join("\n") || null;
}

function describeMisfits({ openRuns, misfits, failing, data }: OpenRunCheck): string | null {
  if (misfits === 0) return null;
  const pinned = misfits - failing;
  const rest = misfits - data.length;
  return [
    `${formatNumber(misfits)} of ${formatCount(openRuns, "open run")} ${misfits === 1 ? "does" : "do"} not fit this build:`,
    ...data.map(describeMisfit),
    ...(rest > 0 ? [`  and ${formatNumber(rest)} more`] : []),
    ...(pinned > 0 ? [`${continuing(pinned)} on the build that accepted ${pinned === 1 ? "it" : "them"}.`] : []),
    ...(failing > 0 ? [`${continuing(failing)} on this build, and ${failing === 1 ? "fails" : "fail"}.`] : []),
  ].join("\n");
}

function describeUnchecked({ uncheckedInputs }: OpenRunCheck): string | null {
  if (uncheckedInputs === 0) return null;
  return `${uncheckedInputs === 1 ? "The input" : "The inputs"} of ${formatCount(uncheckedInputs, "open run")} ${uncheckedInputs === 1 ? "was" : "were"} not checked: the service does not have this build, or the code of its workflows cannot be loaded there.`;
}

/** The same in one line, for a log. */
export function summarizeOpenRuns(check: OpenRunCheck): string | null {
  return [summarizeMisfits(check), describeUnchecked(check)].filter((text) => text !== null).join(". ") || null;
}

function summarizeMisfits({ openRuns, misfits, failing, data }: OpenRunCheck): string | null {
  if (misfits === 0) return null;
  const ids = data.map(({ runId }) => runId).join(", ");
  const rest = misfits > data.length ? ` and ${formatNumber(misfits - data.length)} more` : "";
  return `${formatNumber(misfits)} of ${formatCount(openRuns, "open run")} ${misfits === 1 ? "does" : "do"} not fit this build, and ${formatNumber(failing)} of them ${failing === 1 ? "continues" : "continue"} on it: ${ids}${rest}`;
}

const continuing = (runs: number) => `${formatNumber(runs)} ${runs === 1 ? "continues" : "continue"}`;

function describeMisfit({ runId, target, build, detail }: Misfit): string {
  return `  ${runId}  ${target.kind} ${target.slug}, build ${build}: ${plainLine(detail, maxDetailChars)}`;
}
