// Imported by two triggers: reported once, where it is thrown.
export function connect(url: string | undefined): string {
  if (!url) throw new Error("DATABASE is not set");
  return url;
}

export const connection = connect(undefined);
