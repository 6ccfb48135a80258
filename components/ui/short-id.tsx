import Link from "next/link";

/** An id, short and monospaced, that leads to its page. The whole id is in the title. */
export function ShortId({ id, href }: { id: string; href: string }) {
  return (
    <Link href={href} prefetch={false} title={id} className="font-mono text-s whitespace-nowrap text-accent hover:underline">
      {shortId(id)}
    </Link>
  );
}

/** The prefix, and the last eight characters: the first ones of a ULID tell the time only. */
function shortId(id: string): string {
  const [prefix, rest] = id.split("_");
  return rest === undefined || rest.length <= 8 ? id : `${prefix}_…${rest.slice(-8)}`;
}
