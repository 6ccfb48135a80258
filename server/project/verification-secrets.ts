import { findSlip } from "../../sdk/verify/secrets.ts";
import type { ManifestEnvironment } from "../contract/project/manifest.ts";

type Secrets = ManifestEnvironment["secrets"];

/**
 * Groups the triggers whose secrets are missing by the variables that are not set here. `others`: triggers whose
 * variable is not known.
 */
export function nameMissingSecrets<Trigger extends { file: string }>(p: {
  triggers: readonly Trigger[];
  secrets: Secrets;
  env?: NodeJS.ProcessEnv;
}): { variables: { name: string; files: string[] }[]; others: Trigger[] } {
  const { triggers, secrets, env = process.env } = p;
  const isMissing = new Set(triggers.map(({ file }) => file));
  const variables = secrets.flatMap(({ name, triggers: users }) => {
    const files = env[name] ? [] : users.filter((file) => isMissing.has(file));
    return files.length > 0 ? [{ name, files }] : [];
  });
  const named = new Set(variables.flatMap(({ files }) => files));
  return { variables, others: triggers.filter(({ file }) => !named.has(file)) };
}

/** The variables that a trigger verifies with; those that copying damaged, if there are any. */
export function nameUnusableSecrets(p: { file: string; secrets: Secrets; env?: NodeJS.ProcessEnv }): string[] {
  const { file, secrets, env = process.env } = p;
  const own = secrets.filter(({ name, triggers }) => env[name] && triggers.includes(file));
  const damaged = own.filter(({ name }) => findSlip(env[name] ?? "") !== null);
  return (damaged.length > 0 ? damaged : own).map(({ name }) => name);
}

/** Of a secret, such as `whsec_`: a placeholder keeps it. */
export const placeholderPrefix = "[A-Za-z]{2,12}[_-]";

/** A string of the same length that is not the secret. A prefix such as `whsec_` stays. */
export function placeholderFor(value: string): string {
  const start = new RegExp(`^${placeholderPrefix}`).exec(value)?.[0] ?? "";
  return start + value.slice(start.length).replaceAll(/[a-z]/g, "a").replaceAll(/[A-Z]/g, "A").replaceAll(/\d/g, "0");
}

/**
 * Whether a name is in the text as a whole word: in `process.env.NAME`, `process.env["NAME"]`, or an option of a
 * library that reads it.
 */
export function containsWord(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (!isOfWord(text[at - 1]) && !isOfWord(text[at + name.length])) return true;
  return false;
}

function isOfWord(char: string | undefined): boolean {
  return char !== undefined && /[\w$]/.test(char);
}
