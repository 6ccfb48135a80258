import * as schemes from "../../sdk/verify/index.ts";
import { has, readBuiltCode, readsByMadeUpNames } from "./web-environment.ts";

/** For sealing keys and for signing in: workers do neither. */
const ofService = /^SIGNALBOX_(SECRET|OIDC_.+)$/;
/** For commands, which ask another service with it; a workflow may do so, too. */
const ofCommands = "SIGNALBOX_TOKEN";

const read = String.raw`process\.env(?:\.[\w$]+|\["[\w$]+"\])`;
const fallback = String.raw`(?:\s*(?:\?\?|\|\|)\s*"[^"\\\n]*")?`;
/**
 * `github({ secret: process.env.A })`, with a list, or behind `process.env.A ?`, as esbuild prints it. The condition
 * and the value of `secret` are captured.
 */
const verification = new RegExp(
  String.raw`(?:(${read})\s*(?:\?|&&)\s*)?\b(?:${Object.keys(schemes).join("|")})\d*\(\{(?:[^{}]|\{[^{}]*\})*?\bsecret:\s*(${read}|\[\s*${read}(?:\s*,\s*${read})*,?\s*\])${fallback}\s*[,}]`,
  "g",
);

/**
 * Which variables of the environment a worker is given, by the build that is in force: all but those of the service and
 * of commands, and secrets that the project's code names in `verify` and nowhere else. Signatures are checked by the
 * web process. Where the code makes up names as it runs, it may read any variable, and keeps them.
 */
export function readWorkerNeeds(stateDir: string): (name: string) => boolean {
  const files = readBuiltCode(stateDir).code.map(splitFile);
  const own = files.map((file) => inlineConstants(file.own)).join("\n");
  const others = files.map((file) => file.others).join("\n");
  const secrets = readsByMadeUpNames(own) ? new Set<string>() : findVerificationSecrets(`${own}\n${others}`);
  return (name) => !ofService.test(name) && !secrets.has(name) && (name !== ofCommands || has(own, name));
}

function findVerificationSecrets(code: string): ReadonlySet<string> {
  const values = [...code.matchAll(verification)]
    .flatMap(([, ...captured]) => captured.filter((text) => text !== undefined))
    .join("\n");
  const names = new Set([...values.matchAll(/process\.env(?:\.|\[")([\w$]+)/g)].map(([, name = ""]) => name));
  return new Set([...names].filter((name) => count(code, name) === count(values, name)));
}

/** The project's own modules apart from the SDK's and those of packages: each is below a comment with its path. */
function splitFile(code: string): { own: string; others: string } {
  const modules = code.split(/^(?=\/\/ )/m);
  const { own = [], others = [] } = Object.groupBy(modules, (module) =>
    /^\/\/ (signalbox:|(\.\.\/)*node_modules\/)/.test(module) ? "others" : "own",
  );
  return { own: own.join(""), others: others.join("") };
}

/**
 * Puts `process.env.A` where a constant stands for it: `var secret = process.env.A;` above `github({ secret })`. Too
 * many reads are no harm: one that is not of a signature keeps the variable.
 */
function inlineConstants(code: string): string {
  const constant = new RegExp(String.raw`^(?:var|let|const) ([\w$]+) = (${read})${fallback};$`, "gm");
  const values = new Map([...code.matchAll(constant)].map(([, name = "", value = ""]) => [name, value]));
  const longhand = code.replaceAll(constant, "").replaceAll(/([{,]\s*)secret(?=\s*[,}])/g, "$1secret: secret");
  return longhand.replaceAll(/(?<![\w$.])[\w$]+(?!\s*:)(?![\w$])/g, (word) => values.get(word) ?? word);
}

function count(text: string, name: string): number {
  let times = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1))
    if (has(text.slice(Math.max(0, at - 1), at + name.length + 1), name)) times += 1;
  return times;
}
