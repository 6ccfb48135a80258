import Link from "next/link";
import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";

/** Breadcrumb, id and status of a page. */
export function PageTitle({
  crumb,
  id,
  children,
}: {
  crumb: { href: string; label: string; rest: string };
  id: string;
  children?: ReactNode;
}) {
  return (
    <>
      <p className="text-s text-ink-3">
        <Link href={crumb.href} className="hover:text-ink hover:underline">
          {crumb.label}
        </Link>{" "}
        / {crumb.rest}
      </p>
      <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-2">
        <h1 className="min-w-0 font-mono text-l font-[640] break-all md:text-xl">{id}</h1>
        <CopyButton text={id} label="Copy the id" />
        {children}
      </div>
    </>
  );
}
