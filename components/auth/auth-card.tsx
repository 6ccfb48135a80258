import type { ReactNode } from "react";

/** The card on the sign-in, invitation and reset pages. */
export function AuthCard({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="p-4">
      <div className="mx-auto mt-[10vh] w-full max-w-[400px] rounded-l border bg-panel p-6 shadow-raised">
        <h1 className="text-l font-semibold">{title}</h1>
        {children}
      </div>
    </div>
  );
}
