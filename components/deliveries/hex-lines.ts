/** A hex dump of the first `max` bytes: offset, sixteen bytes in hexadecimal, and the same bytes as ASCII. */
export function hexLines(bytes: Uint8Array, max: number): string {
  const lines: string[] = [];
  for (let start = 0; start < Math.min(bytes.length, max); start += 16) {
    const row = Array.from(bytes.subarray(start, Math.min(start + 16, max)));
    const pairs = row.map((byte) => byte.toString(16).padStart(2, "0"));
    const ascii = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(
      `${start.toString(16).padStart(6, "0")}  ${pairs.slice(0, 8).join(" ").padEnd(23)}  ${pairs.slice(8).join(" ").padEnd(23)}  ${ascii}`,
    );
  }
  return lines.join("\n");
}
