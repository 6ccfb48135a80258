/**
 * Makes untrusted strings safe to print. Control characters, including those for bidirectional text, become escapes, so
 * that a webhook's body cannot colour, move or clear the terminal.
 */
export function plainText(text: string): string {
  return text.replace(unsafe, (character) => {
    const known = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
    return known ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** The same, for the first line, with at most `max` characters. */
export function plainLine(text: string, max = 200): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const characters = [...plainText(line)];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : characters.join("");
}

const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
