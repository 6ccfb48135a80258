import { parseDuration } from "../../../sdk/duration.ts";

const text = String.raw`"(?:[^"\\\n]|\\.)*"`;
const template = String.raw`\`(?:[^\`\\]|\\.)*\``;
const number = String.raw`-?(?:Infinity|NaN|1 ?\/ ?0|\d[\d.]*(?:e[+-]?\d+)?)`;

/** A call with a name and a literal as duration, as esbuild writes it. */
const sleep = new RegExp(String.raw`\bsleep\(\s*(?:${text}|${template})\s*,\s*(${text}|${number})\s*\)`, "g");
/** A call with a name and options. `stepOptions` finds the durations among them. */
const step = new RegExp(String.raw`\bstep\(\s*(?:${text}|${template})\s*,\s*(\{(?:${text}|[^{}"])*\})\s*,`, "g");
const stepOptions = new RegExp(String.raw`\b(timeout|initialDelay|maxDelay):\s*(${text}|${number})\s*[,}]`, "g");

export interface InvalidDuration {
  /** The position of the literal in the code. */
  index: number;
  /** `ctx.sleep gets "200000000d"` */
  problem: string;
}

/**
 * Finds the literals in the calls of `ctx.sleep` and in the options of `ctx.step` that are no durations, or too long
 * ones: the call would fail in every run. Values that the code computes are checked by the call.
 */
export function findInvalidDurations(code: string): InvalidDuration[] {
  const sleeps = [...code.matchAll(sleep)].map((call) => ({ what: "ctx.sleep gets", ...literalOf(call, call[1]) }));
  const options = [...code.matchAll(step)].flatMap((call) => {
    const { index: start, literal: given } = literalOf(call, call[1]);
    return [...given.matchAll(stepOptions)].map((option) => {
      const { index, literal } = literalOf(option, option[2]);
      return { what: `${option[1]} of ctx.step is`, index: start + index, literal };
    });
  });
  return [...sleeps, ...options].flatMap(({ what, index, literal }) =>
    parseDuration(readLiteral(literal)) === null ? [{ index, problem: `${what} ${literal}` }] : [],
  );
}

function literalOf(match: RegExpExecArray, literal = ""): { index: number; literal: string } {
  return { index: match.index + match[0].lastIndexOf(literal), literal };
}

function readLiteral(literal: string): unknown {
  if (/^-?1 ?\/ ?0$/.test(literal)) return Infinity;
  if (!literal.startsWith('"')) return Number(literal);
  try {
    return JSON.parse(literal);
  } catch {
    return null;
  }
}
