import { z } from "zod";
import { containsRedacted } from "../privacy/redaction.ts";

/** The formats that a schema can require, the narrowest first. */
const formats = ["uuid", "datetime", "date", "email", "url"] as const;
export type Format = (typeof formats)[number];

/** A string has a format if Zod's check for it accepts the string. */
const checks: Record<Format, { canBe: RegExp; schema: z.ZodType }> = {
  uuid: { canBe: /^[0-9a-f-]{36}$/i, schema: z.uuid() },
  datetime: { canBe: /^\d{4}-\d\d-\d\dT/, schema: z.iso.datetime({ offset: true }) },
  date: { canBe: /^\d{4}-\d\d-\d\d$/, schema: z.iso.date() },
  email: { canBe: /@/, schema: z.email() },
  url: { canBe: /^https?:\/\//, schema: z.url() },
};

/** Longer strings have no format: it would cost time to find one. */
const maxFormatted = 500;

/** The code of the check for each format. */
export const formatCode: Record<Format, string> = {
  uuid: "z.uuid()",
  datetime: "z.iso.datetime({ offset: true })",
  date: "z.iso.date()",
  email: "z.email()",
  url: "z.url()",
};

export function formatsOf(text: string): Format[] {
  if (text.length > maxFormatted) return [];
  return formats.filter((format) => checks[format].canBe.test(text) && checks[format].schema.safeParse(text).success);
}

/**
 * Whether a string can be one of a few constants, such as `invoice.paid` or `orders/create`. It is short, and has
 * neither the form of an id, a hash, an address, a number or free text, nor a redacted part.
 */
export function isConstantLike(text: string): boolean {
  return (
    text.length <= 60 &&
    /^[A-Za-z][A-Za-z0-9]*(?:[._:/ -]{1,2}[A-Za-z0-9]+)*$/.test(text) &&
    text.split(" ").length <= 4 &&
    !/\d{4}/.test(text) &&
    !/[0-9a-f]{12}/i.test(text) &&
    !/(?=[A-Za-z]*\d[A-Za-z]*\d)[A-Za-z0-9]{10}/.test(text) &&
    !containsRedacted(text)
  );
}
