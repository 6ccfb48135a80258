import { isRawNumber } from "../json/parse-exactly.ts";
import type { Json } from "../../contract/json.ts";
import { redacted, redactText, withoutTokens } from "./redaction.ts";

/** Replaces secrets and personal data. Equal values get equal replacements, also in several calls. */
export type RedactBody = (body: Json) => Json;

/** Names of fields whose values are secrets. */
const secretFields =
  /(?:^|[_-])(?:token|secret|password|passwd|passphrase|authorization|api_?key|private_?key|signature|cvc|cvv|pin|otp|session|cookie|jwt|iban|ssn|account_?number|card_?number|routing_?number)(?:$|[_-])/i;

/** Names of fields that describe a person. `name` and `full_name` are also names of things. */
const personalFields =
  /^(?:(?:first|last|given|family|middle|sur|customer|billing|shipping|cardholder|recipient)[_-]?names?|phones?|(?:phone|mobile|fax)(?:[_-]?number)?|address(?:[_-]?(?:line)?[_-]?\d)?|line[_-]?\d|street(?:[_-]?address)?|postal[_-]?code|zip(?:[_-]?code)?|(?:date[_-]?of[_-]?birth|birth[_-]?(?:day|date)|dob)|(?:remote|client|user)?[_-]?ip(?:[_-]?address)?|latitude|longitude)$/i;

/** With the length limits of RFC 5321, also because a text of a million characters must not be searched from each. */
const emails = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+/gi;
/** International numbers, as E.164 writes them. */
const phoneNumbers = /(?<![\w+])\+[1-9]\d{7,14}(?!\w)/g;
/** Tokens that are recognised by their form, as JWTs are: those of GitHub, Stripe, Slack, AWS and OpenAI. */
const tokens = [
  /\b(?:gh[pousr]|github_pat)_\w{16,}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_\w{8,}/g,
  /\bwhsec_[\w+/=]{8,}/g,
  /\bxox[abprs]-[\w-]{8,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bsk-[\w-]{20,}/g,
  /(?<=\bBearer )[\w.~+/=-]{8,}/g,
];
/** Secrets in the query of a URL. */
const queryValues = /(?<=[?&](?:access_token|token|api_?key|key|secret|sig|signature)=)[^&#\s"]+/gi;

/**
 * Creates a function that redacts bodies for files that people share, such as fixtures. It replaces only strings, and
 * numbers of personal fields (also those of `parseRaw`), and keeps their types: a body usually matches the same
 * schemas. It recognises common forms and names of fields, not all personal data.
 */
export function createRedactBody(): RedactBody {
  const addresses = new Map<string, string>();
  const numbers = new Map<string, string>();

  const replaceEmail = (email: string) => replaceBy(addresses, email, (n) => `person-${n}@example.com`);
  const replacePhone = (phone: string) => replaceBy(numbers, phone, (n) => `+1555${String(n).padStart(7, "0")}`);

  function redactString(text: string): string {
    const withoutEmails = withoutTokens(redactText(text, [])).replaceAll(emails, replaceEmail);
    return tokens
      .reduce((rest, token) => rest.replaceAll(token, redacted), withoutEmails)
      .replaceAll(queryValues, redacted)
      .replaceAll(phoneNumbers, replacePhone);
  }

  /** A value of a field that is secret or personal. */
  function replaceField(name: string, value: string): string {
    if (/email/i.test(name) || value.search(emails) !== -1) return redactString(value);
    return /phone|mobile|fax/i.test(name) ? replacePhone(value) : redacted;
  }

  function redactValue(name: string, value: Json): Json {
    const isHidden = secretFields.test(name) || personalFields.test(name);
    if (typeof value === "string") return isHidden && value !== "" ? replaceField(name, value) : redactString(value);
    if (typeof value === "number" || isRawNumber(value)) return isHidden ? 0 : value;
    if (Array.isArray(value)) return value.map((item) => redactValue(name, item));
    return typeof value === "object" && value !== null ? redactObject(value) : value;
  }

  function redactObject(value: { [name: string]: Json }): Json {
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, redactValue(name, field)]));
  }

  return (body) => redactValue("", body);
}

function replaceBy(known: Map<string, string>, value: string, create: (n: number) => string): string {
  const key = value.toLowerCase();
  const replacement = known.get(key) ?? create(known.size + 1);
  known.set(key, replacement);
  return replacement;
}
