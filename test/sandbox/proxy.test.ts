import { createServer, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../sandbox/port.ts';
import { createProxy } from '../../sandbox/proxy.ts';
import { listen } from '../support/listen.ts';

/** A server that answers as `listener` does. */
async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await listen(createServer(listener));
  onTestFinished(close);
  return url;
}

/** An address at which nothing listens. */
async function nowhere(): Promise<string> {
  return `http://127.0.0.1:${await freePort(0)}`;
}

async function openProxy(servers: readonly string[]): Promise<string> {
  const proxy = createProxy(servers);
  const port = await freePort(0);
  await proxy.start(port);
  onTestFinished(proxy.stop);
  return `http://127.0.0.1:${port}`;
}

/** Answers with its name and what it was asked. */
function echo(name: string): RequestListener {
  return async (request, response) => {
    const asked = `${request.method} ${request.url} ${request.headers['x-sent']} ${await text(request)}`;
    response.writeHead(201, { 'x-server': name }).end(asked);
  };
}

/** Reads a request and ends the connection without a byte. */
function dieOf(seen: string[]): RequestListener {
  return async (request) => {
    for await (const chunk of request) seen.push(String(chunk));
    request.socket.destroy();
  };
}

async function post(url: string): Promise<Response> {
  return await fetch(`${url}/a?b=c`, { method: 'POST', body: 'hello', headers: { 'x-sent': 'yes' } });
}

test('behavior: requests go to the servers in turn, and answers come back as they are', async () => {
  const proxy = await openProxy([await serve(echo('one')), await serve(echo('two'))]);
  const answers = [await post(proxy), await post(proxy), await post(proxy)];
  expect(answers.map(({ headers }) => headers.get('x-server'))).toEqual(['one', 'two', 'one']);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await answers[1]?.text()).toBe('POST /a?b=c yes hello');
});

test('behavior: a server that takes no connection is passed over, and the next one gets the whole request', async () => {
  const proxy = await openProxy([await nowhere(), await serve(echo('two'))]);
  for (const answer of [await post(proxy), await post(proxy)]) {
    expect(answer.headers.get('x-server')).toBe('two');
    expect(await answer.text()).toBe('POST /a?b=c yes hello');
  }
});

test('error: a request whose server dies is handed to no other', async () => {
  const seen: string[] = [];
  const others: string[] = [];
  const proxy = await openProxy([await serve(dieOf(seen)), await serve(dieOf(others))]);
  const answer = await post(proxy);
  expect(answer.status).toBe(502);
  expect(await answer.text()).toBe('The service did not answer.\n');
  expect(seen).toEqual(['hello']);
  expect(others).toEqual([]);
});

test('error: without any server the answer is 502', async () => {
  const proxy = await openProxy([await nowhere(), await nowhere()]);
  expect((await post(proxy)).status).toBe(502);
});

test('error: an answer that breaks off breaks off at the client, too', async () => {
  const proxy = await openProxy([
    await serve((_, response) => {
      response.write('a part');
      setImmediate(() => response.destroy());
    }),
  ]);
  await expect(fetch(proxy).then((answer) => answer.text())).rejects.toThrow(TypeError);
});
