import { basename } from "node:path";
import { z } from "zod";
import { Failure } from "../../terminal/failure.ts";
import { packageVersion } from "../package-version.ts";

const texts = z.record(z.string(), z.string());

/** As much of a package.json as is touched; all else stays. */
const packageSchema = z.looseObject({
  scripts: texts.optional(),
  dependencies: texts.optional(),
  devDependencies: texts.optional(),
});

/**
 * The package.json of a new project: that of the example under the folder's name, or, where the folder has one, that
 * one with what is missing in it. What it says already is kept, but for `type`: projects are ES modules.
 */
export function planPackage(p: { existing: string | null; starter: string; projectDir: string }): string {
  const starter = packageSchema.parse(JSON.parse(p.starter));
  const scripts = { dev: "signalbox dev", build: "signalbox build", start: "signalbox start", ...starter.scripts };
  const dependencies = { zod: "^4.0.0", ...starter.dependencies, signalbox: `^${packageVersion()}` };
  const made = { name: packageName(p.projectDir), private: true, type: "module", scripts, dependencies };
  // Spread twice: its keys come first, and its values win.
  if (p.existing === null) return toText({ ...made, ...starter, ...made });

  const { existing, raw } = parseExisting(p.existing);
  const listed = { ...existing.dependencies, ...existing.devDependencies };
  const missing = (wanted: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(wanted).filter(([name]) => !(name in listed)));
  const devDependencies = { ...existing.devDependencies, ...missing(starter.devDependencies) };
  return toText({
    ...raw,
    type: "module",
    scripts: { ...scripts, ...existing.scripts },
    dependencies: { ...existing.dependencies, ...missing(dependencies) },
    ...(Object.keys(devDependencies).length > 0 ? { devDependencies } : {}),
  });
}

/** The packages that a project runs with, by its package.json. */
export function dependenciesOf(text: string): string[] {
  return Object.keys(packageSchema.parse(JSON.parse(text)).dependencies ?? {});
}

/** A name that npm accepts, made from the folder's. */
export function packageName(projectDir: string): string {
  const name = basename(projectDir)
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^[._-]+/, "")
    .replace(/-+$/, "");
  return name === "" || name === "node_modules" ? "signalbox-project" : name.slice(0, 214);
}

/** The lines of a text, and after them those of another that it lacks. */
export function mergeLines(text: string, other: string): string {
  const lines = text.split(/\r?\n/);
  const missing = other
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#") && !lines.includes(line));
  if (missing.length === 0) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${missing.join("\n")}\n`;
}

/** `raw` keeps its keys in their order. */
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
