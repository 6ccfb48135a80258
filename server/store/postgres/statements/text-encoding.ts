/**
 * Postgres does not accept `\0` in a string, and UTF-8 has no lone surrogates. Strings of JavaScript can have both, for
 * example in a name or a message. They are stored as U+FFFE and their code. U+FFFE is not a character; if a string
 * contains it, it is stored in the same way.
 */
const mark = "\ufffe";
const unfit = /[\0\ufffe\ud800-\udfff]/gu;
const kept = /\ufffe([0-9a-f]{4})/g;

export function toPostgresText(text: string): string {
  return text.replace(unfit, (unit) => mark + unit.charCodeAt(0).toString(16).padStart(4, "0"));
}

export function fromPostgresText(text: string): string {
  return text.includes(mark)
    ? text.replace(kept, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
}
