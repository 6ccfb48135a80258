import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { z } from "zod";
import { formatCount } from "../../../server/shared/format.ts";
import { packageVersion, starterFolder } from "../../../server/paths.ts";
import { Failure } from "../../terminal/failure.ts";
import type { CliCommand } from "../cli-command.ts";
import type { CommandContext, CommandRunner } from "../command-context.ts";
import type { Workspace } from "./workspace.ts";
import { adaptToRepository, adaptToWorkspace, commandsOf, repositoryNotes, workspaceNotes } from "./workspace-files.ts";

const strings = z.record(z.string(), z.string());

/** The fields of package.json that `init` changes. */
const packageSchema = z.looseObject({
  scripts: strings.optional(),
  dependencies: strings.optional(),
  devDependencies: strings.optional(),
  allowScripts: z.record(z.string(), z.boolean()).optional(),
});

export function registerInit(program: CliCommand, runner: CommandRunner): void {
  program
    .subcommand("init", "Create a working project", ["signalbox init my-hooks", "signalbox init . --empty"])
    .argument("[dir]", "Folder of the project, created if missing (default: the current folder)")
    .option("--empty", "Leave out the example: its triggers, workflows, agent and tests")
    .option("--force", "Overwrite existing files")
    .action(runner.action(init));
}

async function init(
  context: CommandContext,
  dir: string | undefined,
  { force = false, empty: isEmpty = false }: { force?: boolean; empty?: boolean },
): Promise<void> {
  const given = dir === undefined ? context.projectDir : resolve(context.cwd, dir);
  if (statSync(given, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new Failure(`${given} is a file, not a folder.`, { code: "no_project" });
  // Only this command needs it, with a parser of YAML.
  const { findWorkspace, pathInRepository } = await import("./workspace.ts");
  const workspace = findWorkspace(given);
  // The real folder: paths to the root go through its parents.
  const projectDir = workspace ? join(workspace.root, workspace.path) : given;
  const alone = { root: projectDir, path: "", inRepository: pathInRepository(projectDir) };
  const files = readStarterFiles()
    .filter(({ path }) => !(isEmpty && isExample(path)))
    .flatMap((file) => {
      const planned = workspace ? adaptToWorkspace(file, workspace) : adaptToRepository(file, alone);
      return planned === null || (ownFiles.has(file.path) && existsSync(join(projectDir, planned.path))) ? [] : planned;
    })
    .map((file) => adapt(isEmpty ? withoutExample(file) : file, projectDir));
  const changed = files.filter(({ path, contents }) => !isSame(join(projectDir, path), contents));
  const links = [...new Set(changed.flatMap(({ path }) => findLink(projectDir, path) ?? []))];
  if (links.length > 0) throw linkFailure(links);
  const conflicts = changed
    .filter(({ path, isMerged }) => !isMerged && existsSync(join(projectDir, path)))
    .map(({ path }) => path);
  if (conflicts.length > 0 && !force) throw conflictFailure(conflicts);
  const notes = workspace ? workspaceNotes(workspace) : repositoryNotes(alone);

  for (const { path, contents } of changed) {
    const file = join(projectDir, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
  }
  const next = nextSteps({ cwd: context.cwd, given, projectDir, workspace });
  const { paint } = context.terminal.out;
  context.print({
    document: { projectDir, files: changed.map(({ path }) => path), notes, next },
    text: () =>
      [
        `${paint("good", "✓")} ${formatCount(changed.length, "file")} written to ${projectDir}\n`,
        ...notes.map((note) => `  ${note}\n`),
        `\nNext:\n${next.map((step) => `  ${step}\n`).join("")}`,
      ].join(""),
  });
}

/** Files of deployment, of continuous integration and for coding agents: existing ones are kept. */
const ownFiles: ReadonlySet<string> = new Set([
  "AGENTS.md",
  "Dockerfile",
  "compose.yaml",
  ".github/workflows/signalbox.yml",
]);

/** The files that a project without the example does not have. */
function isExample(path: string): boolean {
  return path === "README.md" || /^(?:agents|lib|requests|tests|triggers|workflows)\//.test(path);
}

/** The packages of the example are not needed without it. */
function withoutExample(file: StarterFile): StarterFile {
  if (file.path !== "package.json") return file;
  const { dependencies: _, ...kept } = packageSchema.parse(JSON.parse(Buffer.from(file.contents).toString("utf8")));
  return { ...file, contents: Buffer.from(toText(kept)) };
}

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

function nextSteps(project: { cwd: string; given: string; projectDir: string; workspace: Workspace | null }): string[] {
  const path = relative(project.cwd, project.given);
  const folders = [project.projectDir, ...(project.workspace ? [project.workspace.root] : [])];
  const isInstalled = dependenciesOf(readText(join(project.projectDir, "package.json")) ?? "{}").every((name) =>
    folders.some((folder) => existsSync(join(folder, "node_modules", name))),
  );
  const { install, exec } = project.workspace ? commandsOf(project.workspace) : { install: "npm install", exec: "npx" };
  return [
    ...(path === "" ? [] : [`cd ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`]),
    ...(isInstalled ? [] : [install]),
    `${exec} signalbox dev`,
  ];
}

function isSame(file: string, contents: Uint8Array): boolean {
  return existsSync(file) && Buffer.compare(readFileSync(file), contents) === 0;
}

function readText(file: string): string | null {
  return existsSync(file) ? readFileSync(file, "utf8") : null;
}

interface StarterFile {
  /** Path in the new project, with `/`. */
  path: string;
  contents: Uint8Array;
}

/** The files of the example project, with their paths in a new project. */
function readStarterFiles(folder = starterFolder()): StarterFile[] {
  return listFiles(folder, "").map((path) => ({
    path: path === "gitignore" ? ".gitignore" : path,
    contents: readFileSync(join(folder, path)),
  }));
}

function listFiles(folder: string, below: string): string[] {
  const entries = readdirSync(join(folder, below), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    // Left by running the example in this repository.
    if (["node_modules", ".signalbox", "outbox"].includes(entry.name)) return [];
    return entry.isDirectory() ? listFiles(folder, path) : [path];
  });
}

/**
 * The package.json of a new project: that of the example with the name of the folder, or the existing one with the
 * missing entries. Existing entries are kept, except for `type`, because projects are ES modules. `allowScripts` skips
 * install scripts that are not needed: `npm ci` would run node-gyp for better-sqlite3, although it has its binaries.
 */
export function planPackage(options: { existing: string | null; starter: string; projectDir: string }): string {
  const starter = packageSchema.parse(JSON.parse(options.starter));
  const scripts = { dev: "signalbox dev", build: "signalbox build", start: "signalbox start", ...starter.scripts };
  const dependencies = { zod: "^4.0.0", ...starter.dependencies, signalbox: `^${packageVersion()}` };
  const made = { name: packageName(options.projectDir), private: true, type: "module", scripts, dependencies };
  // Spread twice, so that its keys come first and its values override.
  if (options.existing === null) return toText({ ...made, ...starter, ...made });

  const { existing, raw } = parseExisting(options.existing);
  const listed = { ...existing.dependencies, ...existing.devDependencies };
  const missing = (wanted: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in listed)));
  const devDependencies = { ...existing.devDependencies, ...missing(starter.devDependencies) };
  return toText({
    ...raw,
    type: "module",
    scripts: { ...scripts, ...withoutPlaceholder(existing.scripts) },
    dependencies: { ...existing.dependencies, ...missing(dependencies) },
    ...(Object.keys(devDependencies).length > 0 ? { devDependencies } : {}),
    allowScripts: { ...starter.allowScripts, ...existing.allowScripts },
  });
}

/** Without the `test` that `npm init` writes, which always fails. */
function withoutPlaceholder({ test, ...scripts }: Record<string, string> = {}): Record<string, string> {
  return test === undefined || test.includes("no test specified") ? scripts : { ...scripts, test };
}

/** The dependencies in a package.json. */
export function dependenciesOf(text: string): string[] {
  return Object.keys(packageSchema.parse(JSON.parse(text)).dependencies ?? {});
}

/** A valid npm name, from the name of the folder. */
export function packageName(projectDir: string): string {
  const name = basename(projectDir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .replace(/-+$/, "");
  return name === "" || name === "node_modules" ? "signalbox-project" : name.slice(0, 214);
}

/** The lines of a file, followed by the missing lines of another. */
export function mergeLines(text: string, other: string): string {
  const lines = text.split(/\r?\n/);
  const missing = other
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#") && !lines.includes(line));
  if (missing.length === 0) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}

/** `raw` keeps the order of the keys. */
function parseExisting(text: string): { existing: z.infer<typeof packageSchema>; raw: Record<string, unknown> } {
  try {
    const raw = z.record(z.string(), z.unknown()).parse(JSON.parse(text));
    return { existing: packageSchema.parse(raw), raw };
  } catch (cause) {
    throw new Failure("The existing package.json is invalid.", {
      code: "invalid_package",
      fix: "Fix it, or remove it so that `init` creates a new one.",
      cause,
    });
  }
}

function toText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
