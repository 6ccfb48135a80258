import type { Metadata } from "next";
import { Account } from "../../components/settings/account.tsx";
import { readAccess } from "../server.ts";

export const metadata: Metadata = { title: "Settings" };

export default async function AccountPage() {
  return (await readAccess()) && <Account />;
}
