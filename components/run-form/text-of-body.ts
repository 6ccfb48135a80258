/** The body of a delivery, given as base64 of its bytes, as text. */
export function textOfBody(body: string | null): string {
  if (body === null) return "";
  const bytes = Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes);
}
