import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { pageOf } from "../../components/auth/post-form.ts";
import { SignInForm } from "../../components/auth/sign-in-form.tsx";
import { readAccess, signalbox } from "../server.ts";

export const metadata: Metadata = { title: "Sign in" };

export default async function SignInPage({ searchParams }: { searchParams: Promise<Record<string, string | string[] | undefined>> }) {
  const { next, failed, done } = await searchParams;
  const page = pageOf([next].flat()[0]);
  if (await readAccess()) redirect(page);
  const { settings } = await signalbox();
  return <SignInForm next={page} failed={failed === "token" || failed === "oidc" ? failed : null} provider={settings.oidc?.name ?? null} isReset={done === "reset"} />;
}
