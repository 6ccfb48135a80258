import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** A regular expression. */
export interface Pattern {
  source: string;
  flags: string;
}

/**
 * Maximum number of steps of one attempt: for expressions that match only at the start of the string, and for those
 * that can match at each character. Webhooks can have a million characters.
 */
const maxSteps = { atStart: 1_000_000, atEachCharacter: 1000 };
const textLength = 64;
/** Maximum visits of one character by one part of the expression, over all strings: about half a second. */
const maxVisits = 30_000_000;

/**
 * Finds a string on which a backtracking matcher takes too many steps although every repetition is bounded. For
 * example, `a?` twelve times before `a` twelve times has 4,096 ways to fail at each character. Returns the string as an
 * expression; `null`:
 * none was found; `"unknown"`: there are too many ways to count.
 *
 * The steps are counted, not executed: for each part of the expression, the number of ways in which a matcher reaches
 * each position of the string.
 */
export function findBoundedAttack({ source, flags }: Pattern): { attack: string; steps: number } | "unknown" | null {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const counter = createCounter(flags);
  try {
    for (const { prefix, body } of candidates(pattern, counter.matches, alphabetOf(source))) {
      for (const tail of ["", "\0", "\n", "!"]) {
        const text = [
          ...prefix,
          ...Array.from({ length: Math.ceil(textLength / body.length) }, () => body).flat(),
          ...tail,
        ];
        const steps = counter.count(pattern, text, 0);
        if (steps > maxSteps.atStart || counter.count(pattern, ["\u2003", ...text], 1) > maxSteps.atEachCharacter)
          return { attack: writeAttack(prefix.join(""), body.join(""), tail), steps };
      }
    }
  } catch (error) {
    if (error instanceof TooManyWays) return "unknown";
    throw error;
  }
  return null;
}

class TooManyWays extends Error {}

/** The number of ways to each position of the string. */
type Ways = Float64Array;
type Character = AST.Character | AST.CharacterSet | AST.CharacterClass | AST.ExpressionCharacterClass;

function createCounter(flags: string) {
  const own = flags.replaceAll(/[^iusv]/g, "");
  const known = new Map<string, Map<string, boolean>>();
  let visits = 0;

  /** Uses the engine itself, which knows all classes and flags. */
  function matches({ raw }: Character, character: string): boolean {
    const answers = known.get(raw) ?? new Map<string, boolean>();
    known.set(raw, answers);
    const answer = answers.get(character) ?? new RegExp(`^(?:${raw})$`, own).test(character);
    answers.set(character, answer);
    return answer;
  }

  /** Steps of a failing attempt from `start`; 0 if it finds a match, because a matcher stops there. */
  function count(pattern: AST.Pattern, text: readonly string[], start: number): number {
    let steps = 0;
    const begin = new Float64Array(text.length + 1);
    begin[start] = 1;
    const end = follow(pattern, begin);
    return end.some((ways) => ways > 0) ? 0 : steps;

    function follow(node: AST.Pattern | AST.Element | AST.Alternative, ways: Ways): Ways {
      if (!ways.some((each) => each > 0)) return ways;
      switch (node.type) {
        case "Pattern":
        case "Group":
        case "CapturingGroup":
          return sum(node.alternatives.map((alternative) => follow(alternative, ways)));
        case "Alternative":
          return node.elements.reduce<Ways>((before, element) => follow(element, before), ways);
        case "Quantifier":
          return repeat(node, ways);
        case "Assertion":
          return assert(node, ways);
        case "Character":
        case "CharacterSet":
        case "CharacterClass":
        case "ExpressionCharacterClass":
          return step(node, ways);
        default:
          return ways;
      }
    }

    function step(node: Character, ways: Ways): Ways {
      visits += ways.length;
      if (visits > maxVisits) throw new TooManyWays();
      const next = new Float64Array(ways.length);
      for (const [at, character] of text.entries()) {
        const here = ways[at] ?? 0;
        if (here === 0) continue;
        steps += here;
        if (matches(node, character)) next[at + 1] = here;
      }
      return next;
    }

    function repeat({ element, min, max }: AST.Quantifier, ways: Ways): Ways {
      let now = ways;
      for (let time = 0; time < min && now.some((each) => each > 0); time += 1) now = follow(element, now);
      const all = [now];
      const emptyWays = countEmptyWays(element);
      // ECMAScript ends an optional repetition that consumes no character.
      for (let time = min; time < max && now.some((each) => each > 0); time += 1) {
        const before = now;
        now = follow(element, before).map((each, at) => Math.max(0, each - emptyWays * (before[at] ?? 0)));
        all.push(now);
      }
      return sum(all);
    }

    function assert(node: AST.Assertion, ways: Ways): Ways {
      if (node.kind === "start" && !flags.includes("m")) return ways.map((each, at) => (at === 0 ? each : 0));
      if (node.kind === "end" && !flags.includes("m")) return ways.map((each, at) => (at === text.length ? each : 0));
      if (node.kind !== "lookahead") return ways;
      // Its steps count, but it is not re-entered: its matches do not multiply the ways.
      const isThere = sum(node.alternatives.map((alternative) => follow(alternative, ways))).some((each) => each > 0);
      return isThere === node.negate ? ways.map(() => 0) : ways;
    }
  }

  return { count, matches };
}

function sum(all: readonly Ways[]): Ways {
  const [first = new Float64Array(0), ...others] = all;
  return first.map((each, at) => others.reduce((total, ways) => total + (ways[at] ?? 0), each));
}

/** The number of ways in which it matches the empty string. */
function countEmptyWays(node: AST.Element | AST.Alternative): number {
  switch (node.type) {
    case "Group":
    case "CapturingGroup":
      return node.alternatives.reduce((total, alternative) => total + countEmptyWays(alternative), 0);
    case "Alternative":
      return node.elements.reduce((product, element) => product * countEmptyWays(element), 1);
    case "Quantifier":
      return node.min === 0 ? 1 : countEmptyWays(node.element) ** node.min;
    case "Assertion":
    case "Backreference":
      return 1;
    default:
      return 0;
  }
}

/** Characters that distinguish the classes of an expression. */
function alphabetOf(source: string): string[] {
  return [...new Set([..."a0 _-A.é\n", ...source, "\u{1F600}", "☃"])];
}

interface Candidate {
  prefix: string[];
  /** The repeated part; never empty. */
  body: string[];
}

/** Strings that reach each repetition and stay there, then strings of single characters. */
function candidates(
  pattern: AST.Pattern,
  matches: (node: Character, character: string) => boolean,
  alphabet: readonly string[],
): Candidate[] {
  const characters: Character[] = [];
  visit(pattern, (node) => characters.push(node));
  const popularity = new Map(
    alphabet.map((character) => [character, characters.filter((node) => matches(node, character)).length]),
  );
  const byPopularity = alphabet.toSorted((a, b) => (popularity.get(b) ?? 0) - (popularity.get(a) ?? 0));
  const found: Candidate[] = [];

  /** The most common string that it matches. Collects repetitions. */
  function example(node: AST.Pattern | AST.Element | AST.Alternative, prefix: string[]): string[] {
    switch (node.type) {
      case "Pattern":
      case "Group":
      case "CapturingGroup":
        return node.alternatives.map((alternative) => example(alternative, prefix))[0] ?? [];
      case "Alternative":
        return node.elements.reduce<string[]>(
          (before, element) => [...before, ...example(element, [...prefix, ...before])],
          [],
        );
      case "Quantifier": {
        const body = example(node.element, prefix);
        const alternatives =
          "alternatives" in node.element
            ? node.element.alternatives.map((alternative) => example(alternative, prefix))
            : [];
        for (const each of [body, ...alternatives, alternatives.flat()])
          if (each.length > 0) found.push({ prefix, body: each });
        return Array.from({ length: Math.min(node.min, textLength) }, () => body)
          .flat()
          .slice(0, textLength);
      }
      case "Character":
      case "CharacterSet":
      case "CharacterClass":
      case "ExpressionCharacterClass":
        return byPopularity.filter((character) => matches(node, character)).slice(0, 1);
      default:
        return [];
    }
  }

  const whole = example(pattern, []);
  const singles = byPopularity.slice(0, 3).map((character) => ({ prefix: [], body: [character] }));
  const unique = new Map(
    [...found, ...(whole.length > 0 ? [{ prefix: [], body: whole }] : []), ...singles].map((each) => [
      JSON.stringify(each),
      each,
    ]),
  );
  return [...unique.values()].slice(0, 100);
}

function visit(node: AST.Pattern | AST.Element | AST.Alternative, take: (node: Character) => void): void {
  if ("alternatives" in node) for (const alternative of node.alternatives) visit(alternative as AST.Alternative, take);
  else if (node.type === "Alternative") for (const element of node.elements) visit(element, take);
  else if (node.type === "Quantifier") visit(node.element, take);
  else if (
    node.type === "Character" ||
    node.type === "CharacterSet" ||
    node.type === "CharacterClass" ||
    node.type === "ExpressionCharacterClass"
  )
    take(node);
}

function writeAttack(prefix: string, body: string, tail: string): string {
  const parts = [
    ...(prefix === "" ? [] : [JSON.stringify(prefix)]),
    `${JSON.stringify(body)}.repeat(${Math.ceil(textLength / body.length)})`,
    ...(tail === "" ? [] : [JSON.stringify(tail)]),
  ];
  return parts.join(" + ");
}
