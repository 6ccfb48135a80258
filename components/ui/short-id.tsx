import Link from "next/link";
import { CopyButton } from "./copy-button.tsx";

/** A shortened id that links to its page. The title contains the full id; a small button copies it. */
export function ShortId({ id, href }: { id: string; href: string }) {
  return (
    <span className="group/id inline-flex max-w-full items-center gap-0.5 whitespace-nowrap">
      <Link href={href} prefetch={false} title={id} className="truncate font-mono text-s text-accent hover:underline">
        {shortId(id)}
      </Link>
      <span className="-my-1 inline-flex opacity-0 group-hover/id:opacity-100 has-focus-visible:opacity-100 pointer-coarse:hidden">
        <CopyButton text={id} label={`Copy ${id}`} size="s" />
      </span>
    </span>
  );
}

/** The prefix and the last eight characters. The first characters of a ULID only encode the time. */
function shortId(id: string): string {
  const [prefix, rest] = id.split("_");
  return rest === undefined || rest.length <= 8 ? id : `${prefix}_…${rest.slice(-8)}`;
}
