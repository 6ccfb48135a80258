import Link from "next/link";
import type { ReactNode } from "react";

/** The padded area of an ordinary page. `isWide`: for lists and tables, which benefit from a large screen. */
export function PageFrame({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) {
  return (
    <div className={`mx-auto w-full min-w-0 p-4 md:px-7 md:py-6 ${isWide ? "max-w-[2400px]" : "max-w-[1680px]"}`}>
      {children}
    </div>
  );
}

/**
 * Shown to unauthenticated visitors of a deployed service when only Next runs. Otherwise our server redirects to
 * /sign-in.
 */
export function Locked() {
  return (
    <div className="mx-auto mt-[12vh] p-4 text-center">
      <h1 className="text-l font-semibold">Sign in to continue</h1>
      <p className="mt-3">
        <Link href="/sign-in" className="text-accent underline">
          Sign in
        </Link>
      </p>
    </div>
  );
}
