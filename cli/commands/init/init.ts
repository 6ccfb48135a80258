import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Failure } from "../../terminal/failure.ts";
import { plural } from "../text-events.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import { dependenciesOf, mergeLines, planPackage } from "./plan-package.ts";
import { readStarterFiles, type StarterFile } from "./starter-files.ts";

export function registerInit(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("init", "Create a working project", ["signalbox init my-hooks", "signalbox init ."])
    .argument("[dir]", "Folder of the project, created if missing (default: the current folder)")
    .option("--force", "Overwrite existing files")
    .action(runner.action(init));
}

async function init(
  context: CommandContext,
  dir: string | undefined,
  { force = false }: { force?: boolean },
): Promise<void> {
  const projectDir = dir === undefined ? context.projectDir : resolve(context.cwd, dir);
  if (statSync(projectDir, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Failure(`${projectDir} is a file, not a folder.`, { code: "no_project" });
  const files = readStarterFiles()
    .filter(({ path }) => !(deploymentFiles.has(path) && existsSync(join(projectDir, path))))
    .map((file) => adapt(file, projectDir));
  const changed = files.filter(({ path, contents }) => !isSame(join(projectDir, path), contents));
  const links = [...new Set(changed.flatMap(({ path }) => findLink(projectDir, path) ?? []))];
  if (links.length > 0) throw linkFailure(links);
  const conflicts = changed
    .filter(({ path, isMerged }) => !isMerged && existsSync(join(projectDir, path)))
    .map(({ path }) => path);
  if (conflicts.length > 0 && !force) throw conflictFailure(conflicts);

  for (const { path, contents } of changed) {
    const file = join(projectDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  const next = nextSteps(context.cwd, projectDir);
  const { paint } = context.terminal.out;
  context.print({
    document: { projectDir, files: changed.map(({ path }) => path), next },
    text: () =>
      `${paint("good", "✓")} ${plural(changed.length, "file")} written to ${projectDir}\n\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`,
  });
}

/** Deployment files: existing ones are kept. */
const deploymentFiles: ReadonlySet<string> = new Set(["Dockerfile", "compose.yaml"]);

/** `isMerged`: it includes the existing content. */
interface PlannedFile extends StarterFile {
  isMerged: boolean;
}

function adapt(file: StarterFile, projectDir: string): PlannedFile {
  const existing = readText(join(projectDir, file.path));
  const starter = Buffer.from(file.contents).toString("utf8");
  if (file.path === "package.json")
    return { ...file, contents: Buffer.from(planPackage({ existing, starter, projectDir })), isMerged: true };
  if (linesOnly.has(file.path) && existing !== null)
    return { ...file, contents: Buffer.from(mergeLines(existing, starter)), isMerged: true };
  return { ...file, isMerged: false };
}

const linesOnly: ReadonlySet<string> = new Set([".gitignore", ".dockerignore"]);

/** The first part of a path that is a symbolic link, through which a write would leave the project. */
function findLink(projectDir: string, path: string): string | null {
  const parts = path.split("/");
  const paths = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
  return paths.find((part) => lstatSync(join(projectDir, part), { throwIfNoEntry: false })?.isSymbolicLink()) ?? null;
}

function linkFailure(links: readonly string[]): Failure {
  return new Failure(
    `${links.length === 1 ? "A path is a symbolic link" : "Paths are symbolic links"}, and \`init\` writes only into the project's own folder:${links.map((path) => `\n  ${path}`).join("")}`,
    {
      code: "symbolic_links",
      fix: "Nothing was written. Replace each link by a file or a folder, or choose an empty folder.",
      extra: { links },
    },
  );
}

function conflictFailure(conflicts: readonly string[]): Failure {
  const list = conflicts.map((path) => `\n  ${path}`).join("");
  return new Failure(
    `${conflicts.length === 1 ? "A file already exists" : "Files already exist"} with other contents:${list}`,
    {
      code: "files_exist",
      fix: "Nothing was written. Choose an empty folder, or overwrite them with --force.",
      extra: { conflicts },
    },
  );
}

function nextSteps(cwd: string, projectDir: string): string[] {
  const path = relative(cwd, projectDir);
  const isInstalled = dependenciesOf(readText(join(projectDir, "package.json")) ?? "{}").every((name) =>
    existsSync(join(projectDir, "node_modules", name)),
  );
  return [
    ...(path === "" ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(isInstalled ? [] : ["npm install"]),
    "npx signalbox dev",
  ];
}

function isSame(file: string, contents: Uint8Array): boolean {
  return existsSync(file) && Buffer.compare(readFileSync(file), contents) === 0;
}

function readText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}
