import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../sandbox/port.ts';
import { createXPlatform, type XPlatform } from '../../src/platforms/x/adapter.ts';
import { runCommand, type Server, startServer } from './child.ts';
import { type Comparison, must } from './compare.ts';

const PATCH = resolve(import.meta.dirname, 'x-emulator.patch');

/** Where the emulator's parts are. */
export interface EmulatorParts {
  /** A checkout of xdevplatform/playground. */
  readonly playground: string;
  /** X's OpenAPI file. */
  readonly openapi: string;
  /** The command of Go 1.21 or newer. */
  readonly go: string;
}

/** Builds the emulator with our patch, without the network, and starts it. @throws Absent */
export async function startEmulator({ playground, openapi, go }: EmulatorParts): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), 'x-emulator-'));
  const [source, home] = [join(folder, 'source'), join(folder, 'home')];
  const clean = () => rmSync(folder, { recursive: true, force: true });
  try {
    cpSync(playground, source, { recursive: true, filter: (path) => !path.endsWith('/.git') });
    await runCommand('git', ['apply', '--unsafe-paths', `--directory=${source}`, PATCH], { cwd: folder });
    const env = {
      ...process.env,
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      GOTOOLCHAIN: 'local',
      GOCACHE: join(folder, 'cache'),
    };
    await runCommand(go, ['build', '-o', join(folder, 'emulator'), './cmd/plain'], { cwd: source, env });
    mkdirSync(home);
    const cache = join(home, '.playground-openapi-cache.json');
    cpSync(openapi, cache);
    // It takes an older one for stale, and asks X for another.
    utimesSync(cache, new Date(), new Date());
    const port = await freePort(0);
    const server = await startServer([join(folder, 'emulator'), String(port)], {
      url: `http://127.0.0.1:${port}`,
      cwd: home,
      env: { ...process.env, HOME: home },
      patienceMs: 30_000,
    });
    return {
      url: server.url,
      async stop() {
        await server.stop();
        clean();
      },
    };
  } catch (error) {
    clean();
    throw error;
  }
}

const people = z.object({ data: z.array(z.object({ id: z.string(), username: z.string() })) });
const EMULATORS_OWN = '0';
const posted = z.object({ data: z.object({ id: z.string() }) });

/** A user's token: the emulator reads the id before its hyphen. */
function signed(id: string): string {
  return `OAuth oauth_consumer_key="peers", oauth_token="${id}-peers"`;
}

async function ask<T>(url: string, init: RequestInit, answer: z.ZodType<T>): Promise<T> {
  return answer.parse(await (await fetch(url, init)).json());
}

function openAdapter(baseUrl: string, bot: { id: string; username: string }): Promise<XPlatform> {
  return createXPlatform({
    appKey: 'peers',
    appSecret: 'peers',
    accessToken: `${bot.id}-peers`,
    accessSecret: 'peers',
    botUserId: bot.id,
    botUsername: bot.username,
    baseUrl,
    clock: Date.now,
  });
}

/** What the adapter does on X, compared with what the emulator shows. */
export async function emulatorComparisons(url: string): Promise<Comparison[]> {
  const headers = { authorization: signed(EMULATORS_OWN), 'content-type': 'application/json' };
  const { data } = await ask(`${url}/2/users/search?query=a&max_results=10`, { headers }, people);
  // In any order. Its own user lacks fields that X's users have.
  const [bot, alice] = data.filter(({ id }) => id !== EMULATORS_OWN);
  if (bot === undefined || alice === undefined) throw new Error('the emulator has no two users');
  const x = await openAdapter(url, bot);
  const text = `@${bot.username} claim`;
  const body = JSON.stringify({ text });
  const asAlice = { method: 'POST', headers: { ...headers, authorization: signed(alice.id) }, body };
  const mention = await ask(`${url}/2/tweets`, asAlice, posted);
  const { id } = mention.data;
  const account = { platform: 'twitter', platformUserId: alice.id, username: alice.username };
  const reply = (to: string) =>
    x.reply({
      replyTo: to,
      authorId: alice.id,
      text: 'You have 2 DEGEN',
      idem: 'peers',
      notAfter: Date.now() + 60_000,
    });
  let replied = '';
  return [
    ['the token is the bot’s', async () => must((await x.check('https://gigs.example'))[0]?.ok, true)],
    ['an account by its id', async () => must(await x.resolveAccount({ id: alice.id }), account)],
    ['an account by its handle', async () => must(await x.resolveAccount({ username: alice.username }), account)],
    ['an account that is not there', async () => must(await x.resolveAccount({ username: 'nobody_at_all' }), null)],
    [
      'a post, its author and its text',
      async () => {
        const found = await x.lookUpPost(`https://x.com/i/status/${id}`);
        must([found?.postId, found?.authorId, found?.text], [id, alice.id, text]);
      },
    ],
    ['a post that is not there', async () => must(await x.lookUpPost('https://x.com/i/status/999999999'), null)],
    [
      'a mention in the list of the bot’s',
      async () => {
        const { events } = await x.pollEvents({ cursor: null, since: 0 });
        must(
          events.some((event) => event.postId === id),
          true,
        );
      },
    ],
    [
      'a reply, and its id',
      async () => {
        replied = (await reply(id)).postId;
        must(/^[0-9]+$/.test(replied), true);
      },
    ],
    [
      'the reply is found by what it answers',
      async () => must(await x.findReply({ replyTo: id, threadId: id }), replied),
    ],
    [
      'no reply is found to another post',
      async () => must(await x.findReply({ replyTo: replied, threadId: id }), null),
    ],
    [
      'a reply to a post that is not there is refused, and not unclear',
      async () => must(await reply('999999999').catch((error: { retry: string }) => error.retry), 'never'),
    ],
  ];
}
