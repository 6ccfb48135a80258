/**
 * Text that came from outside, safe to print: control characters, those that turn the direction of writing among them,
 * are shown as escapes, so that a webhook's body can neither colour, move nor clear the terminal of whoever reads about
 * it.
 */
export function plainText(text: string): string {
  return text.replace(unsafe, (character) => {
    const known = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }[character];
    return known ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`;
  });
}

/** The same, on one line and no longer than `max` characters. */
export function plainLine(text: string, max = 200): string {
  const [line = ""] = text.split(/\r?\n/, 1);
  const characters = [...plainText(line)];
  return characters.length > max ? `${characters.slice(0, max - 1).join("")}…` : characters.join("");
}

const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
