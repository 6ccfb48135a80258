import type { ReactNode } from "react";

/** The padded area of an ordinary page. `isWide`: for lists and tables, which benefit from a large screen. */
export function PageFrame({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) {
  return (
    <div className={`mx-auto w-full min-w-0 p-4 md:px-7 md:py-6 ${isWide ? "max-w-[2400px]" : "max-w-[1680px]"}`}>
      {children}
    </div>
  );
}
