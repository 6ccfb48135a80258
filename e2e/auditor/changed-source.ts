/** One exact piece of the product's source, and its replacement. */
export interface SourceChange {
  /** From the repository's root. */
  file: string;
  find: string;
  replace: string;
}

/** Throws unless the piece is there once: a mutant must never silently be the original. */
export function changeSource(source: string, { file, find, replace }: SourceChange): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} times what a mutant changes:\n${find}`);
  return source.replace(find, () => replace);
}
