import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseCommand } from '../../../src/bot/commands/index.ts';
import {
  castHash,
  castToPost,
  ethAddress,
  nextPage,
  parseCast,
  parseFarcasterEvents,
  readFid,
  verifiedAddresses,
} from '../../../src/platforms/farcaster/payload.ts';
import event from '../../fixtures/farcaster/cast-created.json' with { type: 'json' };
import { failureOf, NOW, openFarcaster } from '../setup.ts';

const BOT = { fid: 9001, username: 'gigclaim', now: NOW };
const HASH = '0xc293c32e8c1abfd2d72ce56001de955b46465103';

function withCast(change: Record<string, unknown>, envelope: Record<string, unknown> = {}) {
  return { ...event, ...envelope, data: { ...event.data, ...change } };
}

const TO_THE_BOT = { parent_author: { fid: BOT.fid }, mentioned_profiles: [] };

/** A cast whose text is a link that it also embeds. */
const gif = (url: string) => ({ text: url, embeds: [{ url }] });

/** A text in which Neynar marks these handles, with the accounts that they name; places are counted in `unit`. */
function named(text: string, ...marks: [fid: number, handle: string, today?: string][]) {
  return namedIn((part) => part.length, text, marks);
}

function namedIn(
  unit: (part: string) => number,
  text: string,
  marks: readonly [fid: number, handle: string, today?: string][],
) {
  let from = 0;
  const ranges = marks.map(([, handle]) => {
    const at = text.indexOf(handle, from);
    from = at + handle.length;
    return { start: unit(text.slice(0, at)), end: unit(text.slice(0, from)) };
  });
  const profiles = marks.map(([fid, handle, today]) => ({ object: 'user', fid, username: today ?? handle.slice(1) }));
  return { text, mentioned_profiles: profiles, mentioned_profiles_ranges: ranges };
}

const DIGITS = 'aB'.repeat(20);
const KEY = `0x${DIGITS.toLowerCase()}`;
const ADDRESS = `0x${DIGITS}`;

describe('a field of an answer', () => {
  test('security: is a hash or an address with all of its digits and nothing else', () => {
    const read = (text: string) => [castHash.safeParse(text).data, ethAddress.safeParse(text).data];
    expect(read(ADDRESS)).toEqual([KEY, ADDRESS]);
    expect(read(DIGITS)).toEqual([KEY, undefined]);
    for (const text of ['', '0x', `${ADDRESS}0`, `0${ADDRESS}`, `0x${DIGITS.slice(1)}`, `0x${DIGITS.slice(1)}g`])
      expect([text, ...read(text)]).toEqual([text, undefined, undefined]);
  });

  test('security: is an FID as it is written one way alone', () => {
    const ids = ['1', '9007199254740991', '0', '01', '1x', 'x1', '1e3', '1.0', '9007199254740992', ''];
    expect(ids.map(readFid)).toEqual([1, 9_007_199_254_740_991, ...Array(8).fill(null)]);
    const answers = (id: unknown) =>
      parseFarcasterEvents(withCast({ mentioned_profiles: [], parent_author: { fid: id }, text: 'claims' }), BOT);
    expect(['9001', 9001, '09001', '9001.0', '9002'].map((id) => answers(id).length)).toEqual([1, 1, 0, 0, 0]);
  });

  test('behavior: is kept where others beside it are odd', () => {
    const read = { eth_addresses: [ADDRESS], primary: { eth_address: ADDRESS } };
    expect(verifiedAddresses.parse({ ...read, eth_addresses: [ADDRESS, 'alice.eth', null] })).toEqual(read);
    expect(verifiedAddresses.parse({ ...read, primary: { eth_address: 'alice.eth' } })).toEqual({
      ...read,
      primary: {},
    });
    expect([{ cursor: 'a' }, {}, null].map((next) => nextPage.parse(next))).toEqual([{ cursor: 'a' }, {}, null]);
  });
});

describe('a Farcaster event', () => {
  const MENTION = { kind: 'mention', version: 1, platform: 'farcaster', postId: HASH, replyTo: HASH };

  test('behavior: a cast that names the bot is a mention', () => {
    expect(parseFarcasterEvents(event, BOT)).toEqual([
      {
        ...MENTION,
        threadId: '0xa100000000000000000000000000000000000001',
        authorId: '242188',
        authorUsername: 'alice',
        text: '@gigclaim claims, and hello @nobody.',
        postedAt: 1_726_442_096_000,
      },
    ]);
  });

  test('behavior: a direct reply to the bot is one too, without its name', () => {
    const reply = withCast({ mentioned_profiles: [], parent_author: { fid: 9001 }, text: 'claims' });
    expect(parseFarcasterEvents(reply, BOT).map(({ text }) => text)).toEqual(['claims']);
    expect(parseFarcasterEvents(withCast({ mentioned_profiles: undefined }), BOT)).toEqual([]);
  });

  test.each([
    ['as it is typed', named('@GigClaim claims', [9001, '@GigClaim']), '@GigClaim claims'],
    ['with words after it', named('@gigclaimclaims', [9001, '@gigclaim']), '@gigclaim claims'],
    ['behind a handle', named('@ann@gigclaim claims', [7, '@ann'], [9001, '@gigclaim']), '@ann @gigclaim claims'],
    ['before a handle', named('@gigclaim@al.eth hi', [9001, '@gigclaim'], [7, '@al.eth']), '@gigclaim @al.eth hi'],
    ['glued on both sides', named('hey@gigclaim.claims', [9001, '@gigclaim']), 'hey @gigclaim .claims'],
    ['by another name', named('@oldbot: claims', [9001, '@oldbot']), '@gigclaim: claims'],
    ['by another name today', named('@gigclaim claims', [9001, '@gigclaim', 'newbot']), '@gigclaim claims'],
    ['twice', named('@oldbot claims @oldbot!', [9001, '@oldbot'], [9001, '@oldbot']), '@gigclaim claims @gigclaim!'],
    ['as another’s begins', named('@gigclaimer hi', [7, '@gigclaimer'], [9001, '@nowhere']), '@gigclaimer hi'],
  ])('behavior: the bot’s handle is found where Neynar says that it stands, %s', (_, cast, text) => {
    expect(parseFarcasterEvents(withCast(cast), BOT)[0]?.text).toBe(text);
  });

  test.each([
    [named('@gigclaimclaims', [9001, '@gigclaim']), { name: 'claims' }],
    [named('@alice@gigclaim claims', [7, '@alice'], [9001, '@gigclaim']), { name: 'claims' }],
    [named('@oldbot, status gig 42?', [9001, '@oldbot']), { name: 'status', gigId: 42 }],
    [named('@oldbotstart 42', [9001, '@oldbot']), { name: 'start', gigId: 42 }],
    [named('@alice@oldbot start 42', [7, '@alice'], [9001, '@oldbot']), { name: 'unknown' }],
    [named('@newbot @gigclaim start 42', [9001, '@newbot'], [7, '@gigclaim']), { name: 'unknown' }],
    [named('Please stop, @oldbot!', [9001, '@oldbot']), { name: 'stop' }],
    [named('@oldbot', [9001, '@oldbot']), { name: 'claims' }],
  ])('behavior: the command of %j is found without its handle', (cast, command) => {
    const [mention] = parseFarcasterEvents(withCast(cast), BOT);
    expect(mention === undefined ? null : parseCommand(mention.text, BOT)).toEqual(command);
  });

  test.each([
    ['UTF-16 units', (part: string) => part.length],
    ['code points', (part: string) => [...part].length],
    ['bytes', (part: string) => Buffer.byteLength(part)],
  ])('behavior: it is found whatever Neynar counts, as in %s', (_, unit) => {
    const cast = namedIn(unit, 'héllo \u{1f680} @oldbotclaims', [[9001, '@oldbot']]);
    expect(parseFarcasterEvents(withCast(cast), BOT)[0]?.text).toBe('héllo \u{1f680} @gigclaim claims');
  });

  test.each([
    [undefined],
    [[]],
    [[{ start: 1, end: 4 }]],
    [[{ start: 500, end: 900 }]],
    [[{ start: 9, end: 0 }]],
    [[null]],
    ['odd'],
  ])('error: with ranges %j, which show no handle, its spelling counts', (mentioned_profiles_ranges) => {
    const cast = { ...named('@gigclaim claims', [9001, '@gigclaim']), mentioned_profiles_ranges };
    expect(parseFarcasterEvents(withCast(cast), BOT)[0]?.text).toBe('@gigclaim claims');
  });

  test('behavior: a picture under the bot’s handle is a mention', () => {
    const picture = { ...named('@gigclaim', [9001, '@gigclaim']), parent_author: { fid: 9001 } };
    expect(parseFarcasterEvents(withCast(picture), BOT).map(({ text }) => text)).toEqual(['@gigclaim']);
  });

  test.each<[change: { text: string }, plain: string]>([
    [named('@alice.eth claim my rewards @bob.eth', [7, '@alice.eth'], [8, '@bob.eth']), '  claim my rewards  '],
    [named('@bob.eth claim my rewards @alice.eth', [7, '@alice.eth']), '@bob.eth claim my rewards  '],
    [named('@nowhere claim', [7, '@nowhere'], [7, '@nowhere']), '  claim'],
    [gif('https://example.com/a.gif'), ' '],
    [{ ...gif('https://example.org'), text: 'claim https://example.com' }, 'claim https://example.com'],
    [{ ...gif('alice.eth'), text: 'claim my rewards alice.eth' }, 'claim my rewards alice.eth'],
  ])('behavior: the plain text of $0.text is without the handles and links that are marked', (change, plain) => {
    const cast = parseCast({ ...event.data, embeds: [], ...change });
    expect(cast && castToPost(cast, NOW).plainText).toBe(plain);
  });

  test('behavior: a name in the text alone is none: Neynar has to know it', () => {
    expect(parseFarcasterEvents(withCast({ mentioned_profiles: [] }), BOT)).toEqual([]);
  });

  test('behavior: hash, text and author are all it takes', () => {
    const bare = { hash: HASH, text: 'x', author: { fid: 5 }, parent_author: { fid: 9001 } };
    expect(parseFarcasterEvents({ type: 'cast.created', data: bare }, BOT)).toEqual([
      { ...MENTION, threadId: HASH, authorId: '5', authorUsername: null, text: 'x', postedAt: NOW },
    ]);
  });

  test.each([
    { thread_hash: 7 },
    { author: { fid: 242188, username: 12 } },
    { author: { fid: 242188, username: 'a'.repeat(65) } },
    { parent_author: 'nobody' },
    { parent_author: null },
    { mentioned_profiles: [null, { fid: 'x' }, { fid: 9001 }] },
    { timestamp: 'yesterday', event_timestamp: 4 },
    { embeds: 'none', reactions: null, channel: 4 },
  ])('behavior: an optional part that is odd, %j, costs no mention', (change) => {
    expect(parseFarcasterEvents(withCast(change), BOT)).toHaveLength(1);
  });

  test('behavior: the time is the cast’s, then the event’s, then the envelope’s in seconds', () => {
    const at = (change: Record<string, unknown>, envelope = {}) =>
      parseFarcasterEvents(withCast(change, envelope), BOT)[0]?.postedAt;
    expect(at({ timestamp: undefined })).toBe(1_726_442_095_916);
    expect(at({ timestamp: undefined, event_timestamp: undefined })).toBe(1_726_442_095_000);
    expect(at({ timestamp: undefined, event_timestamp: undefined }, { created_at: 'x' })).toBe(NOW);
  });

  test('security: a handle of more than 64 characters counts as missing', () => {
    const named = (username: string) =>
      parseFarcasterEvents(withCast({ author: { fid: 242188, username } }), BOT)[0]?.authorUsername;
    expect(named('a'.repeat(64))).toBe('a'.repeat(64));
    expect(named('a'.repeat(65))).toBeNull();
    expect(named('a'.repeat(50_000))).toBeNull();
  });

  test.each([1e300, 1e12, -1, 1_726_442_095.0001, 0, null])(
    'error: an envelope of the time %j, which is none of a post, counts as one without a time',
    (created_at) => {
      const odd = withCast({ timestamp: '+200000-01-01T00:00:00Z', event_timestamp: undefined }, { created_at });
      expect(parseFarcasterEvents(odd, BOT)[0]?.postedAt).toBe(NOW);
    },
  );

  test.each([
    ['a picture in reply to the bot', withCast({ ...TO_THE_BOT, text: '' })],
    ['a sticker in reply to the bot', withCast({ ...TO_THE_BOT, text: '\u200b \ufe0f' })],
    ['a GIF whose link is the whole reply', withCast({ ...TO_THE_BOT, ...gif('https://media.example/cat.gif') })],
    ['a link alone, embedded or not', withCast({ ...TO_THE_BOT, text: 'https://media.example/cat.gif', embeds: [] })],
    ['a reply with nothing but another’s handle', withCast({ ...TO_THE_BOT, ...named('@alice', [7, '@alice']) })],
    ['the bot’s own cast', withCast({ author: { fid: 9001 } })],
    ['a deleted cast', { ...event, type: 'cast.deleted' }],
    ['another event', { created_at: 1, type: 'user.updated', data: { fid: 9001 } }],
    ['a cast without a hash', withCast({ hash: undefined })],
    ['a cast without a text', withCast({ text: null })],
    ['a cast without an author', withCast({ author: {} })],
    ['a fraction of an author', withCast({ author: { fid: 1.5 } })],
    ['an author beyond what a number holds', withCast({ author: { fid: 2 ** 60 } })],
    ['nothing', null],
    ['a list', []],
    ['a text', 'cast.created'],
  ])('behavior: %s is of no interest', (_name, body) => {
    expect(parseFarcasterEvents(body, BOT)).toEqual([]);
  });

  test('behavior: no JSON value makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, part) => {
        expect(parseFarcasterEvents({ type: 'cast.created', data }, BOT)).toEqual([]);
        parseFarcasterEvents(withCast({ mentioned_profiles: part, parent_author: part, thread_hash: part }), BOT);
      }),
    );
  });

  test('error: a body that is not JSON is a bad response', async () => {
    const farcaster = openFarcaster('http://127.0.0.1:9');
    const failure = await failureOf((async () => farcaster.parse(Buffer.from('{"type":')))());
    expect(failure).toMatchObject({ reason: 'bad_response', retry: 'never' });
    const [first, ...acts] = farcaster.parse(Buffer.from(JSON.stringify(event)));
    expect([first?.kind, ...new Set(acts.map(({ kind }) => kind))]).toEqual(['mention', 'act']);
  });
});
