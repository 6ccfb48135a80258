import type { Reason, Verdict, VerdictList } from "../../contract/delivery.ts";
import { splitQuery } from "../../shared/deliveries/query-text.ts";
import { isSecretParameter } from "./secret-names.ts";

/** Replaces credentials in what is stored. */
export const redacted = "[redacted]";

/** Headers that carry credentials by their meaning, also under a proxy's prefix. */
const secretNames = /(?:^|-)(?:authorization|cookie2?|api-?key|gitlab-token|secret|secret-token)$/;

/** Keys of this service, anywhere in a string: also a key that was sent in the wrong field. */
const keyPattern = /sb[kt]_[0-9A-Za-z]{12,}/g;

/** Whether a credential claims to be a key of this service: also one that was cut off, quoted or changed in its case. */
export function claimsToBeKey(credential: string): boolean {
  return /^\W*sb[kt]_/i.test(credential);
}

/** A JWT, or text that begins like one and is not: such text is passed over once, and not once for each beginning. */
const tokenPattern = /\beyJ[\w-]{8,}(\.[\w-]{8,}\.[\w-]*)?/g;

/** What can be credentials as in `Authorization`, where a key can be in Base64. */
const schemePattern = /\b(basic|bearer) ([\w+/=.~-]{16,})/gi;

/** Shorter strings are not keys: removing them would only make the rest unreadable. */
const minSecret = 6;
/** A request with more credentials is no mistake. Nothing of its headers is stored, instead of searching it for each. */
const maxSecrets = 16;

/**
 * The headers to store, with credentials replaced. Names are in lower case. `secrets`: the keys that the sender
 * presented, valid or not.
 */
export function redactHeaders(
  headers: ReadonlyMap<string, string>,
  secrets: readonly string[],
): Record<string, string> {
  const redact = createRedact(secrets);
  const kept: Record<string, string> = {};
  headers.forEach((text, name) => {
    const value = secretNames.test(name) ? redacted : redact(withoutTokens(text));
    if (name === "__proto__")
      Object.defineProperty(kept, name, { value, writable: true, enumerable: true, configurable: true });
    else kept[name] = value;
  });
  return kept;
}

/** The query to store: as sent, without the values of credentials and signatures. */
export function redactQuery(query: string, secrets: readonly string[]): string {
  const pairs = splitQuery(query).map(({ name, pair }) =>
    isSecretParameter(name) ? `${pair.split("=", 1)[0]}=${redacted}` : pair,
  );
  return redactText(pairs.join("&"), secrets);
}

/** A string without what are credentials of the sender by their form, in a header or a field of any name. */
export function withoutTokens(text: string): string {
  const rest = text.replaceAll(schemePattern, (found, scheme: string, word: string) =>
    isCredential(scheme, word) ? `${scheme} ${redacted}` : found,
  );
  if (!rest.includes("eyJ")) return rest;
  return rest.replaceAll(tokenPattern, (found, parts?: string) => (parts === undefined ? found : redacted));
}

/** Whether it is one by its form: a user and a password in Base64, or a word with digits. */
function isCredential(scheme: string, word: string): boolean {
  return scheme.toLowerCase() === "basic" ? Buffer.from(word, "base64").includes(":") : /\d/.test(word);
}

/** A string without the secrets. */
export function redactText(text: string, secrets: readonly string[]): string {
  return createRedact(secrets)(text);
}

/** Whether a string has, or had, a secret: its redacted form, or a key of this service. */
export function containsRedacted(text: string): boolean {
  return text.includes(redacted) || text.search(keyPattern) !== -1;
}

/** For many strings with the same secrets. Checks first whether there is anything to redact: usually there is not. */
function createRedact(secrets: readonly string[]): (text: string) => string {
  const sent = secrets.filter((secret) => secret.length >= minSecret);
  if (sent.length > maxSecrets) return (text) => (text.length >= minSecret ? redacted : text);
  const descending = sent.length > 1 ? sent.toSorted((a, b) => b.length - a.length) : sent;
  return (text) => {
    let rest = text;
    for (const secret of descending) if (rest.includes(secret)) rest = rest.replaceAll(secret, redacted);
    return rest.includes("sb") ? rest.replaceAll(keyPattern, redacted) : rest;
  };
}

/**
 * Verdicts quote parts of the body. A key in the body is redacted in them, so that it does not reach lists, pages and
 * logs.
 */
export function redactVerdicts({ verdicts, unlistedVerdicts }: VerdictList): VerdictList {
  return {
    verdicts: verdicts.map(redactVerdict),
    unlistedVerdicts: unlistedVerdicts.map((one) => ({
      ...one,
      pointer: redactNullable(one.pointer),
      actual: redactNullable(one.actual),
    })),
  };
}

export function redactVerdict(verdict: Verdict): Verdict {
  return verdict.reasons.length === 0 ? verdict : { ...verdict, reasons: verdict.reasons.map(redactReason) };
}

function redactReason(reason: Reason): Reason {
  return {
    ...reason,
    pointer: redactText(reason.pointer, []),
    message: redactText(reason.message, []),
    actual: redactNullable(reason.actual),
  };
}

function redactNullable(text: string | null): string | null {
  return text === null ? null : redactText(text, []);
}
