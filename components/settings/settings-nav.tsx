"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { useMay } from "../auth/access.tsx";

const places = [
  { href: "/settings", label: "Account" },
  { href: "/settings/people", label: "People" },
  { href: "/settings/keys", label: "Keys and tokens" },
  { href: "/settings/audit", label: "Audit log" },
];

/** What only admins decide about is not offered to others. */
export function SettingsNav() {
  const path = usePathname();
  const isAdmin = useMay("admin");
  return (
    <nav aria-label="Settings" className="-mx-1 mb-5 flex flex-wrap gap-1 border-b">
      {places
        .filter(({ href }) => isAdmin || href === "/settings")
        .map(({ href, label }) => (
          <Link
            key={href}
            href={href}
            aria-current={path === href ? "page" : undefined}
            className="-mb-px border-b-2 border-transparent px-3 py-2 text-ink-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-ink"
          >
            {label}
          </Link>
        ))}
    </nav>
  );
}
