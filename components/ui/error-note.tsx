import { TriangleAlert } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { type ProblemWords, problemOf } from "../trpc/problem-of.ts";
import { Button } from "./button.tsx";

/**
 * A failed call next to its cause: the failed action, the reason, and how to continue. `what`: "The run was not
 * canceled".
 */
export function ErrorNote({ error, what, retry }: { error: unknown; what: string; retry?: () => void }) {
  return <ProblemNote problem={problemOf(error)} what={what} retry={retry} />;
}

/** `more`: a further action, in addition to the one of the problem. */
export function ProblemNote({
  problem: { title, detail, errors, wayOut },
  what,
  retry,
  more,
}: {
  problem: ProblemWords;
  what: string;
  retry?: (() => void) | undefined;
  more?: ReactNode;
}) {
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-m bg-bad-soft px-3 py-2.5">
      <TriangleAlert aria-hidden size={15} className="mt-0.5 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-bad">{what}</p>
        <p className="break-words">
          {title}. {detail !== title && detail} {wayOut && <WayOut {...wayOut} />} {more}
        </p>
        {errors.length > 0 && (
          <ul className="mt-1.5 grid gap-0.5 text-s">
            {errors.map((one, index) => (
              <li key={index} className="break-words">
                <code className="text-bad">{one.pointer === "" ? "(root)" : one.pointer}</code> {one.message}
              </li>
            ))}
          </ul>
        )}
      </div>
      {retry && (
        <Button size="s" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  );
}

const linkClass = "whitespace-nowrap text-accent underline";

function WayOut({ href, label }: { href: string; label: string }) {
  // Reloading the page needs the browser, not the router.
  if (href === "") {
    return (
      <a href="" className={linkClass}>
        {label}
      </a>
    );
  }
  return (
    <Link href={href} className={linkClass}>
      {label}
    </Link>
  );
}
