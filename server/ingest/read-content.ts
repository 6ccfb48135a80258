import type { SignedRequest } from "../../sdk/definition.ts";
import { AppError } from "../contract/app-error.ts";
import type { BodyFormat } from "../contract/project/endpoint.ts";
import { decodeContent, readEncodings } from "../domain/requests/content-encoding.ts";
import type { BodyMemory } from "../domain/requests/request-body.ts";
import type { Verified } from "./verify.ts";

/** A checked signature, with the request that it covers. */
interface Checked {
  signedRequest: SignedRequest | null;
  verified: Verified;
}

interface Content extends Checked {
  /** Without compression. */
  content: Uint8Array<ArrayBuffer>;
}

type Check = (body: Uint8Array<ArrayBuffer>) => Checked | Promise<Checked>;

/**
 * Checks the signature of a body, and decompresses it. The signature covers the bytes as sent, as HTTP defines it. Some
 * senders sign before their HTTP client compresses: if it does not match, it is checked over the decompressed bytes.
 * Both are safe, since the decompressed bytes are a function of the others. Throws the AppErrors of `decodeContent`,
 * but only if the request is genuine. Bodies of the format `bytes` stay as sent.
 */
export function readContent(
  sent: Uint8Array<ArrayBuffer>,
  p: {
    format: BodyFormat;
    contentEncoding: string | undefined;
    maxBytes: number;
    memory: BodyMemory;
    check: Check;
  },
): Content | Promise<Content> {
  const checking = p.check(sent);
  if (p.contentEncoding === undefined || p.format.type === "bytes")
    return checking instanceof Promise
      ? checking.then((checked) => ({ ...checked, content: sent }))
      : { ...checking, content: sent };
  return decode(sent, p, checking);
}

async function decode(
  sent: Uint8Array<ArrayBuffer>,
  p: Parameters<typeof readContent>[1],
  checking: Checked | Promise<Checked>,
): Promise<Content> {
  const checked = await checking;
  const encodings = readEncodings(p.contentEncoding);
  if (encodings instanceof AppError) throw encodings;
  const isRejected = checked.verified.kind === "rejected";
  try {
    const content = await decodeContent(sent, encodings, p);
    if (checked.verified.kind === "verified" || checked.signedRequest === null) return { ...checked, content };
    const again = await p.check(content);
    return again.verified.kind === "rejected" ? { ...checked, content } : { ...again, content };
  } catch (error) {
    if (isRejected) return { ...checked, content: sent };
    throw error;
  }
}
