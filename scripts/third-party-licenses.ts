import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string().optional() });

/**
 * The licences of packages that `dist/` carries copies of, as their authors ask. `folders` are package folders in
 * node_modules. Throws when one has no licence.
 */
export function thirdPartyLicenses(folders: Iterable<string>): string {
  const texts = [...new Set(folders)].map(describePackage).sort();
  return `The files in this folder contain copies of these packages.\n\n${[...new Set(texts)].join("\n")}`;
}

/** The folder of the package that a file belongs to, or `null` for a file of our own. */
export function packageFolderOf(file: string): string | null {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? null;
}

function describePackage(folder: string): string {
  const { name, version, license } = packageSchema.parse(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  if (!file && !license) throw new Error(`${name} has no licence: it must not be part of the package.`);
  const text =
    file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : `Licence: ${license}`;
  return `${"=".repeat(80)}\n${name} ${version} (${license ?? "see below"})\n\n${text}\n`;
}
