import { createServer, request } from 'node:http';
import { freePort } from '../../sandbox/port.ts';
import { AdapterError } from '../../src/domain/errors.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { createFarcaster } from '../../src/platforms/farcaster/adapter.ts';
import { type Server, startServer } from './child.ts';
import type { Comparison } from './compare.ts';

const CAST = `0x${'71'.repeat(20)}`;
const HOOK = 'https://gigs.example/webhooks/farcaster';

/** Starts a mock of Neynar's API from its OpenAPI file. @throws Absent */
export async function startMock({ openapi, prism }: { openapi: string; prism: string }): Promise<Server> {
  const [name = 'npx', ...args] = prism.split(' ');
  const port = await freePort(0);
  return await startServer([name, ...args, 'mock', '--host', '127.0.0.1', '--port', String(port), openapi], {
    url: `http://127.0.0.1:${port}`,
    patienceMs: 180_000,
  });
}

/** Prism lists in a header all that is wrong, also with the examples of its file. */
const MOST_HEADERS = 16 * 1024 * 1024;

/** What is wrong with a request; a long list is cut, and then no JSON. */
const IN_REQUEST = /"location":\["request"[^}]*"message":"((?:[^"\\]|\\.)*)"/g;

/** A way to the mock that keeps what it finds wrong in requests: an adapter takes some refusals for an absence. */
async function openWay(mock: string) {
  const faults: string[] = [];
  const server = createServer((asked, response) => {
    const { method, url, headers } = asked;
    const passed = request(`${mock}${url}`, { method, headers, maxHeaderSize: MOST_HEADERS }, (answer) => {
      const status = answer.statusCode ?? 502;
      const found = String(answer.headers['sl-violations'] ?? '');
      faults.push(...[...found.matchAll(IN_REQUEST)].map(([, message = '']) => message));
      if (status === 404 && found === '') faults.push(`no operation ${method} ${url}`);
      answer.pipe(response.writeHead(status, { 'content-type': 'application/json' }));
    });
    passed.on('error', () => response.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, faults };
}

/** Makes a call; what the mock finds wrong in its requests is a fault, and an answer that is a placeholder is none. */
async function isAllowed(call: () => Promise<unknown>, faults: string[]): Promise<string | undefined> {
  const failure = await call().then(
    () => null,
    (error: unknown) => error,
  );
  const [fault] = faults.splice(0);
  if (fault !== undefined) throw new Error(fault);
  if (failure === null) return undefined;
  if (!(failure instanceof AdapterError) || failure.reason !== 'bad_response') throw failure;
  return `allowed; its answer is a placeholder, which the adapter refuses: ${failure.message}`;
}

/** What the adapter asks Neynar, and whether the mock allows it and the adapter reads its answers. */
export async function mockComparisons(mock: string): Promise<Comparison[]> {
  const { url: baseUrl, faults } = await openWay(mock);
  const farcaster: SocialPlatform = createFarcaster({
    apiKey: 'peers',
    signerUuid: '19d0c5fd-9b33-4a48-a0e2-bc7b0555baec',
    webhookSecrets: ['peers'],
    botFid: 3,
    botUsername: 'gigclaim',
    baseUrl,
    clock: Date.now,
  });
  const { acts } = farcaster;
  const post = { kind: 'post', postId: CAST, authorId: '3' } as const;
  const account = { kind: 'account', accountId: '3' } as const;
  const reply = { replyTo: CAST, authorId: '3', text: 'You have 2 DEGEN', idem: '0123456789abcdef' };
  const read = (call: () => Promise<unknown>) => () => isAllowed(call, faults);
  const list = (
    kind: 'like' | 'recast' | 'quote' | 'reply' | 'follow' | 'mention',
    target: typeof post | typeof account,
  ) => read(async () => await acts?.readActs({ kind, target, cursor: null }));
  return [
    ['publish a reply', read(() => farcaster.reply({ ...reply, notAfter: Date.now() + 60_000 }))],
    ['read a conversation', read(() => farcaster.findReply({ replyTo: CAST, threadId: CAST }))],
    ['list notifications', read(() => farcaster.pollEvents({ cursor: null, since: 0 }))],
    ['look up a cast by its hash', read(() => farcaster.lookUpPost(`https://farcaster.xyz/~/conversations/${CAST}`))],
    ['look up a cast by its URL', read(() => farcaster.lookUpPost('https://farcaster.xyz/alice/0x71717171'))],
    ['look up a user by FID', read(() => farcaster.resolveAccount({ id: '3' }))],
    ['look up a user by handle', read(() => farcaster.resolveAccount({ username: 'alice' }))],
    ['list likes', list('like', post)],
    ['list recasts', list('recast', post)],
    ['list quotes', list('quote', post)],
    ['list replies', list('reply', post)],
    ['list followers', list('follow', account)],
    ['list mentions', list('mention', account)],
    [
      'search casts',
      read(
        async () =>
          await acts?.readActs({ kind: 'mention', target: { kind: 'keyword', keyword: 'degen' }, cursor: null }),
      ),
    ],
    ['look up casts', read(async () => await acts?.readTexts([CAST]))],
    ['list and change webhooks', read(() => farcaster.registerWebhook(HOOK))],
    ['delete a webhook', read(() => farcaster.deleteWebhook('01HBPJ1Y0WQ6QPMB4YFJ6KW3VV'))],
  ];
}
