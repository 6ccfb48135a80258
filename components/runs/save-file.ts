/** Downloads text or bytes as a file. */
export function saveFile({ name, type, content }: { name: string; type: string; content: BlobPart }): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  saveLink(url, name);
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Downloads a URL as a file. Without a name, the server names the file. */
export function saveLink(href: string, name = ""): void {
  const link = document.createElement("a");
  link.href = href;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
}
