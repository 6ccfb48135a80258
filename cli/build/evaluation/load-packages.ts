import { readFileSync, realpathSync, statSync } from "node:fs";
import { type ResolveHookContext, registerHooks } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script, constants } from "node:vm";
import { z } from "zod";

/**
 * Loads packages, resolved as from a module in the folder `importer`. A package that fails fails again when the project
 * imports it, which reports it.
 */
export async function loadPackages(importer: string, packages: readonly string[]): Promise<void> {
  const load: (name: string) => Promise<unknown> = new Script("(name) => import(name)", {
    filename: join(importer, "packages.js"),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }).runInThisContext();
  const resolveInPackage = createPackageResolver();
  // A loader of the user's must see every import.
  const hooks = /(?:^|\s)(?:--(?:import|require|(?:experimental-)?loader)\b|-r\s)/.test(
    process.env["NODE_OPTIONS"] ?? "",
  )
    ? null
    : registerHooks({
        resolve: (specifier, context, next) => resolveInPackage(specifier, context) ?? next(specifier, context),
      });
  for (const name of packages) await load(name).catch(() => {});
  // The project's own code is loaded without them.
  hooks?.deregister();
}

const packageSchema = z.object({ type: z.string().optional() });

/**
 * Resolves the imports between the modules of a package as Node does, which reads the package.json for each of them
 * again: drizzle-orm takes 1.9 of 2.3 seconds for that. `null`: Node must resolve it.
 */
export function createPackageResolver(): (
  specifier: string,
  context: Pick<ResolveHookContext, "conditions" | "importAttributes" | "parentURL">,
) => { url: string; format: "module"; shortCircuit: true } | null {
  const types = new Map<string, string | null>();

  /** `type` of the nearest package.json. */
  function typeOf(folder: string): string | null {
    const known = types.get(folder);
    if (known !== undefined) return known;
    const isOutside = basename(folder) === "node_modules" || folder === dirname(folder);
    const type = isOutside ? null : (readType(folder) ?? typeOf(dirname(folder)));
    types.set(folder, type);
    return type;
  }

  return (specifier, { parentURL, conditions, importAttributes }) => {
    if (!/^\.\.?\/[^?#%\\]*\.js$/.test(specifier) || !conditions.includes("import")) return null;
    if (!parentURL?.startsWith("file:") || !parentURL.includes("/node_modules/")) return null;
    if (Object.keys(importAttributes).length > 0) return null;
    const { href: url } = new URL(specifier, parentURL);
    const path = fileURLToPath(url);
    try {
      const isFile = realpathSync.native(path) === path && statSync(path).isFile();
      return isFile && typeOf(dirname(path)) === "module" ? { url, format: "module", shortCircuit: true } : null;
    } catch {
      return null;
    }
  };
}

/** An empty `type` if the package.json has none; `null`: there is no package.json. */
function readType(folder: string): string | null {
  const file = join(folder, "package.json");
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return null;
  return packageSchema.parse(JSON.parse(readFileSync(file, "utf8"))).type ?? "";
}
