import type { ManifestEnvironment } from "../../../server/contract/project/manifest.ts";
import { containsWord } from "../../../server/project/verification-secrets.ts";
import { type BuiltCode, type CodeFile, parseBuiltCode, type ParsedFile } from "./built-code.ts";
import { traceVariables } from "./trace-variables.ts";
import type { TracedVariable } from "./variable-uses.ts";

/** What the code of a build reads of its environment, and a trigger's file → the variable of its secret. */
export interface BuiltEnvironment {
  manifest: ManifestEnvironment;
  /**
   * Only of files that verify with one variable, unchanged, as the only option, or as the option `secret` of a typed
   * source.
   */
  secretOf: ReadonlyMap<string, string>;
}

/**
 * `files`: the code bundle. `triggerFiles` and `importersOf`: paths in the project, and the files that import one of
 * its files.
 */
export function readEnvironment(options: {
  files: readonly CodeFile[];
  triggerFiles: readonly string[];
  importersOf: (file: string) => ReadonlySet<string>;
}): BuiltEnvironment {
  const code = parse(options.files);
  if (!code) return { manifest: unknownEnvironment, secretOf: new Map() };
  const { variables, readsAny } = traceVariables(code);
  const packageCode = code.files.map((file) => file.packageCode).join("\n");
  const isLoaded = code.files.some(loadsFiles);
  const triggerFiles = new Set(options.triggerFiles);
  const triggersOf = (module: string) =>
    triggerFiles.has(module) ? [module] : [...options.importersOf(module)].filter((file) => triggerFiles.has(file));
  const secrets = [...variables].filter(([, { verifications }]) => verifications.length > 0);
  return {
    manifest: {
      reads: [...variables.keys()].sort(),
      readsAny,
      secrets: secrets
        .map(([name, { verifications, isRead, isExpected }]) => ({
          name,
          triggers: [...new Set(verifications.flatMap(({ module }) => triggersOf(module)))].sort(),
          isOnlyVerified: !isRead && !readsAny && !containsWord(packageCode, name),
          isExpected: isExpected || isLoaded,
        }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    },
    secretOf: onlySecrets(secrets),
  };
}

/** `null`: the code has syntax that only esbuild knows. */
function parse(files: readonly CodeFile[]): BuiltCode | null {
  try {
    return parseBuiltCode(files);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Workers get all variables of the project. */
const unknownEnvironment: ManifestEnvironment = { reads: [], readsAny: true, secrets: [] };

function onlySecrets(secrets: readonly (readonly [string, TracedVariable])[]): Map<string, string> {
  const uses = secrets.flatMap(([name, { verifications }]) => verifications.map((one) => ({ name, ...one })));
  return new Map(
    [...Map.groupBy(uses, ({ module }) => module)].flatMap(([module, [first, ...others]]) =>
      first?.isOnlySecret && others.every(({ name, isOnlySecret }) => isOnlySecret && name === first.name)
        ? [[module, first.name] as const]
        : [],
    ),
  );
}

/**
 * The code loads variables from a file by itself, also those that were withheld. A variable that is set keeps its
 * value.
 */
function loadsFiles({ imports, nodes }: ParsedFile): boolean {
  return (
    imports.some(({ source }) => /^(dotenv|@dotenvx\/dotenvx)(\/|$)/.test(String(source.value))) ||
    nodes.some((node) => node.type === "Identifier" && node.name === "loadEnvFile")
  );
}
