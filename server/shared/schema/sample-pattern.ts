/** The number of repetitions that a part of a pattern allows. */
interface Piece {
  min: number;
  max: number;
  make: (sample: Sample) => void;
}

interface Sample {
  text: string;
  /** The number of additional characters that are still wanted. */
  wanted: number;
}

/** Used in this order if a pattern allows several characters. */
const letters = "abcdefghijklmnopqrstuvwxyz";
const usual = [letters, letters.toUpperCase(), "1234567890", "-_./:@#+,;=~!%&'\"()<>[]{}|\\^$*?` ", "\n\té中👍"];

/**
 * A string that a regular expression matches, with `min` characters if the expression allows it; `null` if the
 * expression is not supported, e.g. back references. Lookarounds are ignored: the caller tests the string.
 */
export function samplePattern(pattern: string, min = 0): string | null {
  try {
    const make = new Reader(pattern).whole();
    const shortest: Sample = { text: "", wanted: 0 };
    make(shortest);
    const grown: Sample = { text: "", wanted: Math.max(min - shortest.text.length, 0) };
    make(grown);
    return grown.text;
  } catch {
    return null;
  }
}

class Reader {
  #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  whole(): Piece["make"] {
    const make = this.#choices();
    if (this.#at < this.#pattern.length) throw new SyntaxError("An end without a beginning");
    return make;
  }

  /** The first alternative that is not empty is used. */
  #choices(): Piece["make"] {
    const choices = [this.#pieces()];
    while (this.#take(/\|/y) !== null) choices.push(this.#pieces());
    const pieces = choices.find(({ length }) => length > 0) ?? [];
    return (sample) => {
      for (const piece of pieces) repeat(piece, sample);
    };
  }

  #pieces(): Piece[] {
    const pieces: Piece[] = [];
    while (this.#at < this.#pattern.length && !/[|)]/.test(this.#pattern[this.#at] ?? "")) {
      const make = this.#piece();
      const times = this.#times();
      if (make) pieces.push({ ...times, make });
    }
    return pieces;
  }

  /** `null` if the part matches no character. */
  #piece(): Piece["make"] | null {
    if (this.#take(/\^|\$|\\[bB]/y) !== null) return null;
    const opening = this.#take(/\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?/y);
    if (opening !== null) {
      const make = this.#choices();
      if (this.#take(/\)/y) === null) throw new SyntaxError("A group without an end");
      return /[=!]$/.test(opening) ? null : make;
    }
    const set = this.#take(
      /\[(?:\\[\s\S]|[^\]\\])*\]|\.|\\[dDsSwW]|\\[pP]\{[^}]*\}|\\u\{[\dA-Fa-f]+\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\[nrtvf0]/y,
    );
    if (set !== null) return fromSet(set);
    const literal = this.#take(/\\[^\w]|[^\\()[\]*+?|]/uy);
    if (literal === null) throw new SyntaxError("Not read");
    return (sample) => void (sample.text += literal.replace(/^\\/, ""));
  }

  #times(): { min: number; max: number } {
    const times = this.#take(/(?:[*+?]|\{\d+(?:,\d*)?\})\??/y) ?? "";
    const [, min = "1", comma, max = ""] = /^\{(\d+)(,)?(\d*)\}/.exec(times) ?? [];
    if (times.startsWith("{"))
      return {
        min: Number(min),
        max: comma === undefined ? Number(min) : max === "" ? Infinity : Number(max),
      };
    return { min: /^[*?]/.test(times) ? 0 : 1, max: /^[*+]/.test(times) ? Infinity : 1 };
  }

  #take(token: RegExp): string | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#pattern)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }
}

const maxLength = 10_000;

function repeat({ min, max, make }: Piece, sample: Sample): void {
  for (let time = 0; time < max && (time < min || sample.wanted > 0); time++) {
    const before = sample.text.length;
    make(sample);
    if (time >= min) sample.wanted -= sample.text.length - before;
    if (sample.text.length === before || sample.text.length > maxLength) return;
  }
}

/** Iterates over the usual characters that are in the set, and over those that are listed in it literally. */
function fromSet(set: string): Piece["make"] {
  const isIn = new RegExp(`^${set}$`, "u");
  const members = [...usual, set]
    .map((characters) => [...characters].filter((character) => isIn.test(character)))
    .find(({ length }) => length > 0) ?? [escaped(set)];
  if (!isIn.test(members[0] ?? "")) throw new SyntaxError("Nothing usual is in the set");
  return (sample) => void (sample.text += members[sample.text.length % members.length] ?? "");
}

function escaped(set: string): string {
  const code = /^\\(?:u\{?|x)([\dA-Fa-f]+)\}?$/.exec(set)?.[1];
  return code === undefined ? "" : String.fromCodePoint(Number.parseInt(code, 16));
}
