/**
 * Postgres takes no `\0` in a text, and UTF-8 has no lone surrogates; JavaScript has both, and so may a name or a
 * message. They are kept behind U+FFFE, which is no character and stands in no text by itself; where it does, it is
 * kept behind itself.
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
