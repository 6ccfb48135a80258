const redacted = "[redacted]";

/** Headers that carry credentials by their meaning, also under a proxy's prefix. */
const secretNames = /(?:^|-)(?:authorization|cookie2?|api-?key)$/;

/** Keys of this service, wherever they stand: also one that was sent to the wrong place. */
const keyPattern = /sb[kt]_[0-9A-Za-z]{12,}/g;

/**
 * Headers as they may be kept: names in lower case, the values of one name joined, credentials replaced. `secrets` are what the sender
 * presented as keys, valid or not.
 */
export function redactHeaders(headers: ReadonlyMap<string, readonly string[]>, secrets: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    Array.from(headers, ([name, values]) => [name, secretNames.test(name) ? redacted : values.map((value) => redactText(value, secrets)).join(", ")]),
  );
}

/** A text without the secrets. Texts too short to be a key are left: they would only make everything else unreadable. */
export function redactText(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.filter((secret) => secret.length >= 6).toSorted((a, b) => b.length - a.length);
  return longestFirst.reduce((rest, secret) => rest.replaceAll(secret, redacted), text).replaceAll(keyPattern, redacted);
}
