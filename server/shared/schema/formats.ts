/** JSON Schema formats in words, with their article: all formats that Zod 4, Zod 3 and their exporters use. */
const formats: Readonly<Record<string, string>> = {
  email: "an email",
  "idn-email": "an email",
  uri: "a URL",
  url: "a URL",
  "uri-reference": "a URL or path",
  uuid: "a UUID",
  guid: "a GUID",
  "date-time": "a date and time",
  date: "a date",
  time: "a time",
  duration: "a duration",
  ipv4: "an IPv4 address",
  ipv6: "an IPv6 address",
  cidrv4: "an IPv4 range",
  cidrv6: "an IPv6 range",
  mac: "a MAC address",
  hostname: "a hostname",
  e164: "a phone number",
  emoji: "an emoji",
  base64: "a base64 string",
  base64url: "a base64url string",
  hex: "a hexadecimal string",
  json_string: "a JSON string",
  "json-string": "a JSON string",
  jwt: "a JWT",
  ulid: "a ULID",
  nanoid: "a nanoid",
  cuid: "a CUID",
  cuid2: "a CUID2",
  xid: "an XID",
  ksuid: "a KSUID",
  lowercase: "a lower-case string",
  uppercase: "an upper-case string",
  regex: "a regular expression",
};

/** Checks that Zod exports as a pattern alone. */
const patterns: Readonly<Record<string, string>> = {
  "^[^A-Z]*$": "lowercase",
  "^[^a-z]*$": "uppercase",
  "^[0-7][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{25}$": "ulid",
  "^[0-9A-HJKMNP-TV-Z]{26}$": "ulid",
  "^[a-zA-Z0-9_-]{21}$": "nanoid",
  "^[cC][0-9a-z]{6,}$": "cuid",
  "^[cC][^\\s-]{8,}$": "cuid",
  "^[0-9a-z]+$": "cuid2",
  "^[0-9a-vA-V]{20}$": "xid",
  "^[A-Za-z0-9]{27}$": "ksuid",
  "^\\+[1-9]\\d{6,14}$": "e164",
  "^(\\p{Extended_Pictographic}|\\p{Emoji_Component})+$": "emoji",
  "^[A-Za-z0-9-_]+\\.[A-Za-z0-9-_]+\\.[A-Za-z0-9-_]*$": "jwt",
};

/** Prefixes of the long patterns, which differ between versions of Zod. */
const beginnings: readonly (readonly [string, string])[] = [
  ["^(?:[A-Za-z0-9_'+\\-]+\\.)*[A-Za-z0-9_'+\\-]*[A-Za-z0-9_+-]@", "email"],
  ["^(?:(?:\\d\\d[2468][048]|\\d\\d[13579][26]|\\d\\d0[48]", "date"],
  ["^(?:[01]\\d|2[0-3]):[0-5]\\d", "time"],
  ["^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-", "uuid"],
  ["^P(?:(\\d+W)|", "duration"],
  ["^(?=.{1,253}\\.?$)", "hostname"],
  ["^(?=[\\s\\S]*[\\p{Extended_Pictographic}", "emoji"],
  ["^$|^(?:[0-9a-zA-Z+/]{4})*", "base64"],
  ["^(?:[A-Za-z0-9_-]{4})*", "base64url"],
  ["^(?:[0-9A-F]{2}:){5}", "mac"],
];

/** `is an email` without `is`; `null` for an unknown format. Hashes have the name of their algorithm. */
export function nameFormat(format: string): string | null {
  if (Object.hasOwn(formats, format)) return formats[format] ?? null;
  const hash = /^(md5|sha1|sha256|sha384|sha512)_(hex|base64|base64url)$/.exec(format);
  return hash ? `a ${hash[1]?.toUpperCase().replace("SHA", "SHA-")} hash in ${hash[2]}` : null;
}

/** The format that a pattern represents, in words. */
export function formatOfPattern(pattern: string): string | null {
  const name = formatNameOf(pattern);
  return name === null ? null : nameFormat(name);
}

/** The name of the format that a pattern represents. */
export function formatNameOf(pattern: string): string | null {
  return (Object.hasOwn(patterns, pattern) ? patterns[pattern] : longFormat(pattern)) ?? null;
}

function longFormat(pattern: string): string | undefined {
  if (/^\^\(+(?:\?:)?(?:\(\?:)?25\[0-5\]/.test(pattern)) return pattern.includes("\\/(") ? "cidrv4" : "ipv4";
  if (/^\^?\(\(\[0-9a-fA-F\]\{1,4\}:\)/.test(pattern)) return pattern.includes("\\/(") ? "cidrv6" : "ipv6";
  const name = beginnings.find(([beginning]) => pattern.startsWith(beginning))?.[1];
  return name === "date" && pattern.includes("T(?:") ? "date-time" : name;
}

/** The meaning of a pattern, if it has one of the few forms that can be described in words. */
export interface PlainPattern {
  kind: "starts" | "ends" | "contains" | "is";
  /** One string; several if the pattern lists choices. */
  texts: string[];
}

/**
 * `^ord_.*` starts with `ord_`; `\@a\.com$` ends with `@a.com`; `^(?:a|b)$` is a or b. Null for real regular
 * expressions.
 */
export function readPattern(pattern: string): PlainPattern | null {
  const isAtStart = pattern.startsWith("^");
  const isAtEnd = /(?:^|[^\\])(?:\\\\)*\$$/.test(pattern);
  const inner = pattern.slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined);
  if (isAtStart && isAtEnd) return plain("is", choicesOf(inner));
  if (isAtStart) return plain("starts", [literalOf(inner.replace(/\.\*$/, ""))]);
  if (isAtEnd) return plain("ends", [literalOf(inner.replace(/^\.\*/, ""))]);
  return plain("contains", [literalOf(inner)]);
}

function plain(kind: PlainPattern["kind"], texts: (string | null)[]): PlainPattern | null {
  const known = texts.filter((text) => text !== null && text !== "");
  return known.length > 0 && known.length === texts.length
    ? { kind, texts: known.flatMap((text) => text ?? []) }
    : null;
}

function choicesOf(inner: string): (string | null)[] {
  const group = /^\((?:\?:)?([^()]*)\)$/.exec(inner)?.[1];
  return group === undefined ? [literalOf(inner)] : group.split("|").map(literalOf);
}

/** The literal string that a piece of a pattern matches, if it is a literal. */
function literalOf(piece: string): string | null {
  let text = "";
  for (let at = 0; at < piece.length; at++) {
    let character = piece[at] ?? "";
    if (character === "\\") {
      character = piece[++at] ?? "";
      if (character === "" || /[a-z0-9]/i.test(character)) return null;
    } else if (/[\^$.*+?()[\]{}|]/.test(character)) return null;
    text += character;
  }
  return text;
}
