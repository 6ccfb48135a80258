import { TriangleAlert } from "lucide-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { type ProblemWords, problemOf } from "../trpc/problem-of.ts";
import { Button } from "./button.tsx";

/**
 * A failed call beside the thing that failed: what was tried, why it failed, the way out. `what`: "The run was not
 * canceled".
 */
export function ErrorNote({ error, what, retry }: { error: unknown; what: string; retry?: () => void }) {
  return <ProblemNote problem={problemOf(error)} what={what} retry={retry} />;
}

/** `more`: another way on, beside what the problem itself offers. */
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
  // A page is read again by the browser, not by the router.
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
