import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { Message } from "esbuild";
import { findPackage, isInstalled, packageName } from "../bundle/installed-packages.ts";

/** Why an import does not resolve, and how to fix it. */
interface Unresolved {
  title: string;
  /** Default: that of the code. */
  text?: string;
  fix: string;
}

/** `null`: the message is about something else. */
export function explainUnresolved({ text, location }: Message, projectDir: string): Unresolved | null {
  const glob = /^Could not resolve ((?:import|require)\(.+\))$/.exec(text)?.[1];
  if (glob !== undefined)
    return { title: `No file matches ${glob}`, fix: "Correct the path, or create a file that matches." };
  const specifier = /^Could not resolve "(.+)"$/.exec(text)?.[1];
  if (specifier === undefined) return null;
  if (/^(?:\.|[\\/]|[A-Za-z]:[\\/])/.test(specifier))
    return { title: `File not found: ${specifier}`, fix: "Correct the path, or create the file." };
  const name = packageName(specifier);
  if (name === null || name.startsWith("~"))
    return {
      title: `Import not found: ${specifier}`,
      fix: "Correct the name, create the file, or correct `paths` in tsconfig.json (`imports` in package.json for #).",
    };
  const importer = join(projectDir, dirname(location?.file ?? ""));
  const folder = findPackage(name, importer);
  return folder === null
    ? { title: `Package not found: ${name}`, fix: sayHowToInstall(name, importer, projectDir) }
    : explainInstalled({ specifier, name, folder });
}

/** The package is there, but not what is imported from it. */
function explainInstalled(imported: { specifier: string; name: string; folder: string }): Unresolved {
  const path = imported.specifier.slice(imported.name.length + 1);
  if (!isInstalled(imported.folder))
    return {
      title: `${imported.name} has no file for the import of ${imported.specifier}`,
      text: "The package is part of your workspace, but the file that its package.json names does not exist.",
      fix: "Build that package first. Or let `exports` in its package.json name the TypeScript source, which is then bundled.",
    };
  return path === ""
    ? {
        title: `${imported.name} has no code to import`,
        text: "The package is installed, but its package.json names no JavaScript that Node can load.",
        fix: "Write `import type` if the package has only types. Otherwise install it again, or import a file of it.",
      }
    : {
        title: `${imported.name} has no ${path} to import`,
        text: "The package is installed, but has no such file, or `exports` in its package.json does not list it.",
        fix: `Correct the path: node_modules/${imported.name}/package.json lists under \`exports\` what can be imported. Without \`exports\`, it is the path of a file.`,
      };
}

/** A package in package.json is not installed; any other name may be a typo. */
function sayHowToInstall(name: string, importer: string, projectDir: string): string {
  const folder = findManifest(importer);
  const isProject = folder === null || relative(projectDir, folder) === "";
  const where = isProject ? "the project" : relative(projectDir, folder).replaceAll("\\", "/");
  const text = folder === null ? "" : readFileSync(join(folder, "package.json"), "utf8");
  if (text.includes(`${JSON.stringify(name)}:`))
    return `Run \`npm install\` in ${where}: the package is in package.json, but not installed.`;
  return `Run \`npm install ${name}\` in ${where}, or correct the name.`;
}

/** The nearest folder with a package.json. */
function findManifest(folder: string): string | null {
  if (existsSync(join(folder, "package.json"))) return folder;
  const parent = dirname(folder);
  return parent === folder ? null : findManifest(parent);
}
