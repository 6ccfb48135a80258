import { basename, extname } from "node:path";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { EvaluatedEntry } from "../evaluation/protocol.ts";
import type { DiscoveredFiles, ProjectFiles, SourceLocation } from "../project-files.ts";

/** For each file in the bundle, the files that it imports: paths in the project. */
type Imports = ReadonlyMap<string, readonly string[]>;

/** A trigger file and the file of a workflow or agent, each of which imports the other one. */
interface Cycle {
  trigger: string;
  target: string;
  /** What the target imports: the trigger, or a file that leads to it. */
  imported: string;
}

/** One cycle for each trigger file that is in any. */
export function findCycles(discovered: DiscoveredFiles, imports: Imports): Cycle[] {
  const found = new Map<string, Cycle>();
  for (const target of targetsOf(discovered)) {
    const reached = filesImportedBy(target, imports);
    for (const trigger of discovered.triggers) {
      if (!reached.has(trigger)) continue;
      const isDirect = imports.get(trigger)?.includes(target) ?? false;
      if (found.has(trigger) && !isDirect) continue;
      if (!filesImportedBy(trigger, imports).has(target)) continue;
      const imported = (imports.get(target) ?? []).find(
        (file) => file === trigger || filesImportedBy(file, imports).has(trigger),
      );
      found.set(trigger, { trigger, target, imported: imported ?? trigger });
    }
  }
  return [...found.values()];
}

export function cycleDiagnostics(cycles: readonly Cycle[], files: ProjectFiles): Diagnostic[] {
  return cycles.map(({ trigger, target, imported }) =>
    files.diagnose({
      code: "import_cycle",
      title: `${trigger} and ${target} import each other${imported === trigger ? "" : `, through ${imported}`}`,
      at: findImport(target, imported, files) ?? { file: target },
    }),
  );
}

/** An import has the name of the file, usually without its extension. */
function findImport(importer: string, imported: string, files: ProjectFiles): SourceLocation | null {
  const stem = `/${basename(imported, extname(imported))}`;
  return [`${stem}"`, `${stem}'`, `${stem}.`].flatMap((text) => files.findText(importer, text) ?? [])[0] ?? null;
}

/** Sources without a target that no workflow or agent imports: a warning. */
export function unattachedDiagnostics(p: {
  entries: readonly EvaluatedEntry[];
  discovered: DiscoveredFiles;
  imports: Imports;
  files: ProjectFiles;
}): Diagnostic[] {
  const reached = new Set(targetsOf(p.discovered).flatMap((target) => [...filesImportedBy(target, p.imports)]));
  return p.entries.flatMap((entry) => {
    if (entry.outcome !== "trigger" || entry.trigger.target) return [];
    const { file } = entry;
    const definedIn = [...filesImportedBy(file, p.imports)].filter((each) => usesSourcesOfSdk(each, p.imports));
    if ([file, ...definedIn].some((each) => reached.has(each))) return [];
    return [
      p.files.diagnose({
        code: "source_not_attached",
        title: `${file} starts nothing: it has no .attach(), and no workflow or agent imports it to wait for it`,
        at: p.files.findText(file, "export default") ?? { file },
        severity: "warning",
      }),
    ];
  });
}

function targetsOf({ workflows, agents }: DiscoveredFiles): string[] {
  return [...workflows, ...agents];
}

const packagePrefix = "signalbox:";

/** Whether a file of the project imports the part of the SDK that makes sources, which typed sources use. */
function usesSourcesOfSdk(file: string, imports: Imports): boolean {
  const ofSdk = (imports.get(file) ?? []).filter((imported) => imported.startsWith(packagePrefix));
  return (
    !file.startsWith(packagePrefix) &&
    ofSdk.some((imported) =>
      [imported, ...filesImportedBy(imported, imports)].some((each) =>
        each.includes("/trigger/define-webhook-source."),
      ),
    )
  );
}

/** All files that a file imports, directly or through others. It is one of them only in a cycle. */
function filesImportedBy(file: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set<string>();
  const pending = [file];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const imported of imports.get(next) ?? []) {
      if (reached.has(imported)) continue;
      reached.add(imported);
      pending.push(imported);
    }
  return reached;
}
