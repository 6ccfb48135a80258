const redacted = "[redacted]";

/** Headers that carry credentials by their meaning, also under a proxy's prefix. */
const secretNames = /(?:^|-)(?:authorization|cookie2?|api-?key)$/;

/** Keys of this service, wherever they stand: also one that was sent to the wrong place. */
const keyPattern = /sb[kt]_[0-9A-Za-z]{12,}/g;

/** What is shorter is no key: to take it out would only make everything else unreadable. */
const minSecret = 6;

/**
 * Headers as they may be kept: names in lower case, the values of one name joined, credentials replaced. `secrets` are
 * what the sender presented as keys, valid or not.
 */
export function redactHeaders(
  headers: ReadonlyMap<string, readonly string[]>,
  secrets: readonly string[],
): Record<string, string> {
  const redact = createRedact(secrets);
  return Object.fromEntries(
    Array.from(headers, ([name, values]) => [name, secretNames.test(name) ? redacted : values.map(redact).join(", ")]),
  );
}

/** A text without the secrets. */
export function redactText(text: string, secrets: readonly string[]): string {
  return createRedact(secrets)(text);
}

/** For many texts with the same secrets. Looks first whether there is anything to take out: mostly there is not. */
function createRedact(secrets: readonly string[]): (text: string) => string {
  const longestFirst = secrets.filter((secret) => secret.length >= minSecret).toSorted((a, b) => b.length - a.length);
  return (text) => {
    const rest = longestFirst.reduce(
      (left, secret) => (left.includes(secret) ? left.replaceAll(secret, redacted) : left),
      text,
    );
    return rest.includes("sb") ? rest.replaceAll(keyPattern, redacted) : rest;
  };
}
