/** A header such as Content-Type: `type; name=value; name="value"` (RFC 9110, 5.6.6). */
interface HeaderWithParameters {
  /** In lower case. */
  value: string;
  /** By lower-case name. Of a repeated parameter, the first one counts. */
  parameters: ReadonlyMap<string, string>;
  /** Whether a part of the header is no parameter. */
  isMalformed: boolean;
}

const parameter = /[ \t]*([^\s;="]+)[ \t]*=(?:[ \t]*"((?:[^"\\]|\\[^])*)"[ \t]*|([^;"]*))(?:;|$)|[ \t]*(?:;|$)/y;

/** In quotes, `\"` and `\\` are the escaped character. Any other backslash is itself, as in a path of Windows. */
export function readParameters(header: string): HeaderWithParameters {
  const [value = ""] = header.split(";", 1);
  const rest = header.slice(value.length + 1);
  const parameters = new Map<string, string>();
  parameter.lastIndex = 0;
  let end = 0;
  for (let found = parameter.exec(rest); found && end < rest.length; found = parameter.exec(rest)) {
    end = parameter.lastIndex;
    const [, name, quoted, plain = ""] = found;
    const key = name?.toLowerCase();
    if (key !== undefined && !parameters.has(key))
      parameters.set(key, quoted?.replaceAll(/\\(["\\])/g, "$1") ?? plain.trim());
  }
  return { value: value.trim().toLowerCase(), parameters, isMalformed: end < rest.length };
}
