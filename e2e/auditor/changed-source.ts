/** One exact piece of the product's source, and its replacement. */
export interface SourceChange {
  /** Path from the root of the repository. */
  file: string;
  find: string;
  replace: string;
}

/** Throws unless the source contains the text exactly once: a mutant must not be equal to the original. */
export function changeSource(source: string, { file, find, replace }: SourceChange): string {
  const places = source.split(find).length - 1;
  if (places !== 1) throw new Error(`${file} has ${places} times what a mutant changes:\n${find}`);
  return source.replace(find, () => replace);
}
