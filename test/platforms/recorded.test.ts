import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseCommand } from '../../src/bot/commands/index.ts';
import type { SocialPlatform } from '../../src/domain/mentions/mention.ts';
import { isoText } from '../../src/domain/time.ts';
import { answering, failureOf, openFarcaster, openTwitter, openWire, replyTo } from './setup.ts';

// Each file of `test/recorded` is one kind of answer of a real service, with what must come of it.

const REASON = { reason: z.string(), retry: z.string() };
const failure = z.strictObject({
  ...REASON,
  /** Milliseconds; null where the answer says nothing of a wait. */
  retryAfterMs: z.number().nullable().optional(),
  /** Until when the whole account is refused; null where only this call is. */
  blockedUntil: z.string().nullable().optional(),
});
const ACTS = [
  'post a reply',
  'find the own reply',
  'look up a post',
  'look up an account',
  'find payout addresses',
  'poll',
  'webhook',
] as const;
const recorded = z.strictObject({
  /** The project, then a blank or `#`, then where in it. */
  source: z.string().regex(/^[^ #]+(?:[ #].+)?$/),
  when: z.string().regex(/^20[0-9]{2}(-[0-9]{2})?$/),
  on: z.array(z.enum(ACTS)).min(1),
  status: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.unknown().optional(),
  /** The body as it came, where it is no JSON. */
  text: z.string().optional(),
  /** A failure, what the adapter answers, or the command of the mention that is read. */
  must: z.union([failure, z.strictObject({ answer: z.unknown() }), z.strictObject({ command: z.string() })]),
});
type Recorded = z.infer<typeof recorded>;

/** Older than every answer. */
const BEFORE_ALL = Date.UTC(2013, 0);

interface Place {
  /** The least that are recorded, each counted once, and of how many projects. */
  readonly least: { readonly answers: number; readonly projects: number };
  readonly open: (url: string) => Promise<SocialPlatform> | SocialPlatform;
  readonly postId: string;
  readonly postUrl: string;
}

const PLACES: Readonly<Record<'farcaster' | 'x', Place>> = {
  farcaster: {
    least: { answers: 61, projects: 20 },
    open: openFarcaster,
    postId: `0x${'15'.repeat(20)}`,
    postUrl: `https://farcaster.xyz/~/conversations/0x${'15'.repeat(20)}`,
  },
  x: {
    least: { answers: 73, projects: 35 },
    open: openTwitter,
    postId: '2080765813578191303',
    postUrl: 'https://x.com/OtherUser/status/2080765813578191303',
  },
};

type Asked = { readonly place: Place; readonly body: unknown };

async function ask(on: Recorded['on'][number], platform: SocialPlatform, { place, body }: Asked) {
  switch (on) {
    case 'post a reply':
      return await platform.reply(replyTo(place.postId));
    case 'find the own reply':
      return await platform.findReply({ replyTo: place.postId, threadId: place.postId });
    case 'look up a post':
      return await platform.lookUpPost(place.postUrl);
    case 'look up an account':
      return await platform.resolveAccount({ id: '1001' });
    case 'find payout addresses':
      return await platform.payoutAddresses('1001');
    case 'poll':
      return await platform.pollEvents({ cursor: null, since: BEFORE_ALL });
    case 'webhook':
      return platform.parse(Buffer.from(JSON.stringify(body)));
  }
}

/** A failure in the words of the file, with what the file says of waits alone. */
function shown({ reason, retry, retryAfterMs, blockedUntil }: Awaited<ReturnType<typeof failureOf>>, must: object) {
  const until = blockedUntil === undefined ? null : isoText(blockedUntil);
  const all = { reason, retry, retryAfterMs: retryAfterMs ?? null, blockedUntil: until };
  return Object.fromEntries(Object.entries(all).filter(([name]) => name in must));
}

describe.each(['farcaster', 'x'] as const)('recorded answers of %s', (name) => {
  const place = PLACES[name];
  const files = globSync(`test/recorded/${name}/*.json`).map((file) => {
    const kind = recorded.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { name: path.basename(file, '.json'), kind };
  });
  const kinds = files.flatMap((file) => file.kind.on.map((on) => [file.name, on, file.kind] as const));

  test(`behavior: they are ${place.least.answers} answers or more, of ${place.least.projects} projects or more`, () => {
    const answers = files.map(({ kind: { status, headers, body, text } }) =>
      JSON.stringify([status, headers, body, text]),
    );
    const projects = new Set(files.map(({ kind }) => kind.source.split(/[ #,]/)[0]));
    process.stdout.write(`recorded of ${name}: ${files.length} answers of ${projects.size} projects\n`);
    expect(new Set(answers).size).toBeGreaterThanOrEqual(place.least.answers);
    expect(projects.size).toBeGreaterThanOrEqual(place.least.projects);
  });

  test.each(kinds)(
    'behavior: %s, to “%s”, is read as it must be',
    async (_file, on, { status, headers, body, text = JSON.stringify(body), must }) => {
      const wire = await openWire(answering(status, text, headers));
      const platform = await place.open(wire.url);
      const asked = ask(on, platform, { place, body });
      if ('reason' in must) return expect(shown(await failureOf(asked), must)).toEqual(must);
      const answer = await asked;
      if ('answer' in must) return expect({ answer }).toMatchObject(must);
      const [mention] = platform.parse(Buffer.from(JSON.stringify(body))).filter(({ kind }) => kind === 'mention');
      expect(mention?.kind === 'mention' && parseCommand(mention.text, platform.bot).name).toBe(must.command);
    },
  );
});
