import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { Failure } from "../terminal/failure.ts";
import { createApiClient } from "./api-client.ts";
import { createRemoteTransport } from "./open-api.ts";

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ask = (url: string, token: string | null = "sbt_1") =>
  createApiClient(createRemoteTransport({ url, token })).request({
    method: "POST",
    path: "/verdicts",
    query: { a: "b c" },
    body: { x: 1 },
    answer: z.object({ ok: z.boolean() }),
  });

it("a request goes to the service with the token, and identifies the command line", async () => {
  const seen: unknown[] = [];
  const url = await serve(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { authorization, "signalbox-client": client, "content-type": type } = request.headers;
    seen.push(request.method, request.url, authorization, client, type, body);
    response.end('{"ok":true}');
  });
  expect(await ask(`${url}/hooks`)).toEqual({ ok: true });
  expect(seen).toEqual(["POST", "/hooks/api/v1/verdicts?a=b+c", "Bearer sbt_1", "cli", "application/json", '{"x":1}']);
});

it("a redirect is not followed, because it could leak the token", async () => {
  let hits = 0;
  const other = await serve((_request, response) => void response.end(String((hits += 1))));
  const url = await serve((_request, response) => void response.writeHead(307, { location: other }).end());
  await expect(ask(url)).rejects.toThrow("responds with a redirect");
  expect(hits).toBe(0);
});

it("a problem becomes a failure with its code, its locations and the fix", async () => {
  const problem = {
    type: "/errors/unauthorized",
    title: "Missing or invalid key",
    status: 401,
    code: "unauthorized",
    detail: "No key was sent.",
    errors: [{ pointer: "/a", code: "c", message: "m" }],
  };
  const url = await serve(
    (_request, response) =>
      void response.writeHead(401, { "content-type": "application/problem+json" }).end(JSON.stringify(problem)),
  );
  const failure = await ask(url, null).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({
    message: "No key was sent.",
    details: { code: "unauthorized", fix: expect.stringContaining("SIGNALBOX_TOKEN"), errors: problem.errors },
  });
});

it("an unreachable service and an unexpected response have clear messages", async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, "127.0.0.1", resolve));
  const { port } = gone.address() as AddressInfo;
  await new Promise((resolve) => gone.close(resolve));
  await expect(ask(`http://127.0.0.1:${port}`)).rejects.toThrow(/refuses the connection: connect ECONNREFUSED/);
  const page = await serve((_request, response) => void response.writeHead(404).end("<html>"));
  await expect(ask(page)).rejects.toThrow("status 404, not from Signalbox");
});

it("a download is read as it is received, and one that ends early is a failure", async () => {
  const url = await serve((request, response) => {
    response.write("one\n");
    if (request.url === "/api/v1/whole") response.end("two\n");
    else setImmediate(() => response.destroy());
  });
  const client = createApiClient(createRemoteTransport({ url, token: "sbt_1" }));
  const read = async (path: string) => {
    let text = "";
    for await (const chunk of client.download({ path })) text += Buffer.from(chunk).toString();
    return text;
  };
  expect(await read("/whole")).toBe("one\ntwo\n");
  await expect(read("/broken")).rejects.toThrow("The response to /broken ended early: ");
});
