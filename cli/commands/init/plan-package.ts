import { basename } from "node:path";
import { z } from "zod";
import { Failure } from "../../terminal/failure.ts";
import { packageVersion } from "../package-version.ts";

const strings = z.record(z.string(), z.string());

/** The fields of package.json that `init` changes. */
const packageSchema = z.looseObject({
  scripts: strings.optional(),
  dependencies: strings.optional(),
  devDependencies: strings.optional(),
});

/**
 * The package.json of a new project: that of the example with the name of the folder, or the existing one with the
 * missing entries. Existing entries are kept, except for `type`, because projects are ES modules.
 */
export function planPackage(p: { existing: string | null; starter: string; projectDir: string }): string {
  const starter = packageSchema.parse(JSON.parse(p.starter));
  const scripts = { dev: "signalbox dev", build: "signalbox build", start: "signalbox start", ...starter.scripts };
  const dependencies = { zod: "^4.0.0", ...starter.dependencies, signalbox: `^${packageVersion()}` };
  const made = { name: packageName(p.projectDir), private: true, type: "module", scripts, dependencies };
  // Spread twice, so that its keys come first and its values override.
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
