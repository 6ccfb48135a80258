/** A draft that survives a reload of the page. */
export interface KeptDraft {
  text: string;
  /** The source of the draft, as text. */
  label: string;
  /** The delivery or run in the URL at that time. */
  from: string | null;
}

/** The draft stored in this tab; `null`: none, or not readable. */
export function readKeptDraft(key: string): KeptDraft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? "null");
    if (typeof kept !== "object" || kept === null) return null;
    const { text, label, from } = Object.assign({ text: null, label: null, from: null }, kept);
    if (typeof text !== "string" || typeof label !== "string") return null;
    return { text, label, from: typeof from === "string" ? from : null };
  } catch {
    return null;
  }
}

/** Without storage, or with full storage, drafts are lost on reload. */
export function keepDraft(key: string, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // See above.
  }
}
