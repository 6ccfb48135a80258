"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useMay } from "../auth/access.tsx";
import { EmptyState } from "../ui/states.tsx";

/** `more`: shown on wide screens only. */
const pages: { href: string; label: string; more?: string }[] = [
  { href: "/settings", label: "Account" },
  { href: "/settings/people", label: "People" },
  { href: "/settings/keys", label: "Keys", more: "and tokens" },
  { href: "/settings/builds", label: "Builds" },
  { href: "/settings/audit", label: "Audit log" },
];

/** Pages for admins are hidden from others. */
export function SettingsNav() {
  const path = usePathname();
  const isAdmin = useMay("admin");
  return (
    <nav aria-label="Settings" className="-mx-1 mb-5 flex border-b sm:gap-1">
      {pages
        .filter(({ href }) => isAdmin || href === "/settings")
        .map(({ href, label, more }) => (
          <Link
            key={href}
            href={href}
            aria-current={path === href ? "page" : undefined}
            className="-mb-px border-b-2 border-transparent px-2.5 py-2 whitespace-nowrap sm:px-3 text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-ink"
          >
            {label}
            {more && <span className="max-sm:hidden"> {more}</span>}
          </Link>
        ))}
    </nav>
  );
}

/** Shown on admin pages to people without the admin role. */
export function AdminsOnly() {
  return (
    <EmptyState title="Admins only">
      Only admins can manage people, keys, tokens and builds, and read the audit log. Ask an admin for access.
    </EmptyState>
  );
}
