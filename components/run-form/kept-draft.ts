/** A draft that survives a reload of the page. */
export interface KeptDraft {
  text: string;
  /** What it was started from, in words. */
  label: string;
  /** The delivery or run that the page's address named then. */
  from: string | null;
}

/** As it was kept in this tab; `null` where nothing was, or nothing that can be read. */
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

/** A tab without storage, or with a full one, keeps drafts until it is reloaded. */
export function keepDraft(key: string, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(draft));
  } catch {
    // Said above.
  }
}
