/** A value of the webhook: a field of the payload, or a header. */
export type RunKeyPart = { field: string; header?: undefined } | { header: string; field?: undefined };

/** The key of a run: one value of the webhook, or up to three together. */
export type RunKey = RunKeyPart | readonly [RunKeyPart, RunKeyPart?, RunKeyPart?];

/** The longest key, in characters. */
export const maxKeyLength = 200;
