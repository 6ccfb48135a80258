import * as schemes from "../../sdk/verify/index.ts";
import { has, readBuiltCode, readsByMadeUpNames } from "./web-environment.ts";

/** For signing in, for sealing keys, and for asking another service: workers do none of this. */
const ofService = /^SIGNALBOX_(SECRET|TOKEN|OIDC_.+)$/;

const read = String.raw`process\.env(?:\.[\w$]+|\["[\w$]+"\])`;
/** `github({ secret: process.env.A })`, with a list, or behind `process.env.A ?`, as esbuild prints it. The condition and the value of `secret` are captured. */
const verification = new RegExp(
  String.raw`(?:(${read})\s*(?:\?|&&)\s*)?\b(?:${Object.keys(schemes).join("|")})\d*\(\{(?:[^{}]|\{[^{}]*\})*?\bsecret:\s*(${read}|\[\s*${read}(?:\s*,\s*${read})*,?\s*\])\s*[,}]`,
  "g",
);

/**
 * Which variables of the environment a worker is given, by the build that is in force: all but those of the service alone, and secrets that the
 * project's code names in `verify` and nowhere else. Signatures are checked by the web process. Where the code makes up names as it runs, it may read
 * any variable, and keeps them.
 */
export function readWorkerNeeds(stateDir: string): (name: string) => boolean {
  const { code } = readBuiltCode(stateDir);
  const secrets = readsByMadeUpNames(ownCode(code)) ? new Set<string>() : findVerificationSecrets(code);
  return (name) => !ofService.test(name) && !secrets.has(name);
}

function findVerificationSecrets(code: string): ReadonlySet<string> {
  const values = [...code.matchAll(verification)].flatMap(([, ...captured]) => captured.filter((text) => text !== undefined)).join("\n");
  const names = new Set([...values.matchAll(/process\.env(?:\.|\[")([\w$]+)/g)].map(([, name = ""]) => name));
  return new Set([...names].filter((name) => count(code, name) === count(values, name)));
}

/** Without the SDK and the packages of others: each module is below a comment with its path. */
function ownCode(code: string): string {
  return code
    .split(/^(?=\/\/ )/m)
    .filter((module) => !/^\/\/ (signalbox:|(\.\.\/)*node_modules\/)/.test(module))
    .join("");
}

function count(text: string, name: string): number {
  let times = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) if (has(text.slice(Math.max(0, at - 1), at + name.length + 1), name)) times += 1;
  return times;
}
