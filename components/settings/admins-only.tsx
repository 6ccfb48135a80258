import { EmptyState } from "../ui/states.tsx";

/** Shown on admin pages to people without the admin role. */
export function AdminsOnly() {
  return (
    <EmptyState title="Admins only">
      Only admins can manage people, keys and tokens, and read the audit log. Ask an admin for access.
    </EmptyState>
  );
}
