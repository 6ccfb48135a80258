import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { SignInForm } from "../../components/auth/sign-in-form.tsx";
import { parseNextPage } from "../../server/contract/access/next-page.ts";
import { readAccess, signalbox } from "../server.ts";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({
  searchParams,
}: {
  searchParams: Promise<Record<string, string | string[] | undefined>>;
}) {
  const { next, failed, done } = await searchParams;
  const page = parseNextPage([next].flat()[0]);
  if (await readAccess()) redirect(page);
  const { settings } = signalbox();
  return (
    <SignInForm
      next={page}
      failed={failed === "token" || failed === "oidc" ? failed : null}
      provider={settings.oidc?.name ?? null}
      isReset={done === "reset"}
    />
  );
}
