import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import type { Account } from '../../../src/domain/account.ts';
import type { Gig } from '../../../src/domain/gigs/gig.ts';
import { formTokenOf } from '../../../src/services/form-token.ts';
import { createNetwork } from '../../services/fakes.ts';
import { seedGig } from '../../support/store.ts';
import { label, NOW, service, setUp } from '../service.ts';
import { type Answered, type Browser, browserOf, hidden, walletOn } from './browser.ts';

const OWNER = 'farcaster:1003';
const MINUTE = 60_000;
const UNIT = 10n ** 18n;
let owner: Browser;
let gig: Gig;
let asked: string[];
/** Who holds which handle on Farcaster now. */
let holders: Map<string, string>;

async function resolveAccount(who: { id: string } | { username: string }): Promise<Account | null> {
  const name = 'username' in who ? who.username : who.id;
  asked.push(name);
  const id = holders.get(name);
  return id === undefined ? null : { platform: 'farcaster', platformUserId: id, username: name };
}

beforeEach(async () => {
  asked = [];
  holders = new Map([
    ['alice', '2001'],
    ['bob', '2002'],
  ]);
  const farcaster = { ...createNetwork('farcaster').network, resolveAccount };
  await setUp({ signIn: walletOn(inject('anvilUrl')), platforms: new Map([['farcaster', farcaster]]) });
  owner = await browserOf(service, OWNER, { at: NOW - 60 * MINUTE });
  gig = await seedGig(service.store, { client: `owner:${OWNER}`, live: true, startTime: NOW - 1_000 });
});
afterEach(() => service.close());

const page = () => `/my/gigs/${gig.id}/award`;
const preview = (list: string, browser = owner) => browser.submit('/my', page(), { list });

/** The rows of the preview, as text. */
function rows({ text }: Answered): string[] {
  return [...text.matchAll(/<tr><th scope="row">[\s\S]*?<\/tr>/g)].map(([row]) =>
    row
      .replace(/<[^>]*>/g, ' ')
      .replaceAll('&quot;', '"')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}

const confirmedList = ({ text }: { text: string }) => /<textarea name="list" hidden>([^<]*)</.exec(text)?.[1];

/** What the second form holds. */
function confirmed(answer: Answered): Record<string, string> {
  const list = confirmedList(answer);
  if (list === undefined) throw new Error('the page has no second form');
  return { list, key: hidden(answer, 'key') };
}

/** What the boxes of lines that are left out would send. */
const ticked = ({ text }: Answered) =>
  [...text.matchAll(/name="asked" value="([^"]*)"/g)].map(([, value]) => value ?? '');

const confirm = (sent: Record<string, string>, browser = owner) => browser.submit('/my', `${page()}/confirm`, sent);
const awarded = async () =>
  (await service.store.tipsOfGig(gig.id, { limit: 100 })).map((tip) => [tip.platform, tip.platformUserId, tip.amount]);

test('behavior: a list that is pasted a second time names the accounts that the gig has already awarded', async () => {
  await confirm(confirmed(await preview('@alice,10')));
  const shown = await preview('@alice,10\n@bob,5');
  expect(shown.text).toContain('1 line is skipped unless you tick it');
  expect(rows(shown)).toEqual([
    '1 Farcaster 2001 @ alice 10 DEGEN 10 DEGEN Skipped the gig has already awarded it . Award it anyway',
    '2 Farcaster 2002 @ bob – 5 DEGEN Will be awarded',
  ]);
  expect(confirmed(shown)['list']).toBe('farcaster:2002,5');
  expect((await preview('@bob,5')).text).not.toContain('already awarded');
  expect((await confirm({ ...confirmed(shown), asked: ticked(shown)[0] ?? '' })).status).toBe(303);
  expect((await awarded()).map(([, id]) => id).sort()).toEqual(['2001', '2001', '2002']);
});

async function upload(file: Uint8Array | string, name = 'list.csv'): Promise<{ status: number; text: string }> {
  const form = new FormData();
  form.set('token', formTokenOf(owner.cookies.get('gigclaim_my') ?? ''));
  form.set('list', '');
  form.set('file', new Blob([typeof file === 'string' ? file : new Uint8Array(file)]), name);
  const encoded = new Response(form);
  const response = await service.app.request(page(), {
    method: 'POST',
    headers: {
      cookie: `gigclaim_my=${owner.cookies.get('gigclaim_my')}`,
      'sec-fetch-site': 'same-origin',
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    body: new Uint8Array(await encoded.arrayBuffer()),
  });
  return { status: response.status, text: await response.text() };
}

test('behavior: a list with one wrong line is shown, then its other lines are awarded once', async () => {
  await label(service.store, 'twitter', '2222', 'carol');
  expect((await owner.get(page())).text).toContain('100 <bdi>DEGEN</bdi></span> can still be awarded');
  const shown = await preview(
    'account,amount\n@alice,10\nfarcaster:2002,5.5\nx:2222,1\n1234,1\n@nobody,1\nfarcaster:2001,3',
  );
  expect(shown.status).toBe(200);
  expect(rows(shown)).toEqual([
    '2 Farcaster 2001 @ alice – 10 DEGEN Will be awarded',
    '3 Farcaster 2002 not known – 5.5 DEGEN Will be awarded',
    '4 X 2222 @ carol – 1 DEGEN Will be awarded',
    '5 1234,1 Error 1234 is ambiguous: write @1234 for a handle, or farcaster:1234 for an id',
    '6 @nobody,1 Error Farcaster knows no account @nobody',
    '7 farcaster:2001,3 Error duplicate of line 2',
  ]);
  expect(shown.text).toContain('3 lines have errors and will be skipped');
  expect(shown.text).toContain('83.5 <bdi>DEGEN</bdi>');
  expect(await awarded()).toEqual([]);
  const sent = confirmed(shown);
  expect(sent['list']).toBe('farcaster:2001,10\nfarcaster:2002,5.5\ntwitter:2222,1');
  // The handle moves between the two forms.
  holders.set('alice', '666');
  const answers = await Promise.all([confirm(sent), confirm(sent)]);
  expect([...answers, await confirm(sent)].map(({ status, headers }) => [status, headers.get('location')])).toEqual(
    Array.from({ length: 3 }, () => [303, `/my/gigs/${gig.id}/report`]),
  );
  expect((await awarded()).sort()).toEqual([
    ['farcaster', '2001', 10n * UNIT],
    ['farcaster', '2002', (11n * UNIT) / 2n],
    ['twitter', '2222', UNIT],
  ]);
  expect((await owner.get(`/my/gigs/${gig.id}/report`)).text).toContain('2001');
  const last = { action: 'tips.award', actor: 'owner', actorName: OWNER };
  expect(await service.store.auditEvents({ limit: 1 })).toMatchObject([last]);
});

test('security: two tabs with one list award it once, and a corrected list awards what is new', async () => {
  const [one, two] = [await preview('@alice,10\n@bob,5'), await preview('@alice,10\n@bob,5')];
  expect((await confirm(confirmed(one))).status).toBe(303);
  const second = await confirm(confirmed(two));
  expect([
    second.status,
    second.text.includes('2 accounts of the list were awarded by this gig since you saw'),
  ]).toEqual([409, true]);
  expect(await awarded()).toHaveLength(2);
  const corrected = await preview('@alice,12\n@bob,5\nfarcaster:2003,1');
  expect(confirmed(corrected)['list']).toBe('farcaster:2003,1');
  expect((await confirm(confirmed(corrected))).status).toBe(303);
  expect(await awarded()).toHaveLength(3);
  // Only ticked lines are left.
  const all = await preview('@alice,1');
  expect((await confirm(confirmed(all))).status).toBe(409);
  expect((await confirm({ ...confirmed(all), asked: ticked(all)[0] ?? '' })).status).toBe(303);
});

test('error: a confirmation that is refused shows the list anew, with what was ticked and is still the same', async () => {
  const written = '@alice,10\n@bob,5\nx:1700000000000001000,1';
  const shown = await preview(written);
  const [slip = ''] = ticked(shown);
  await confirm(confirmed(await preview('@bob,1')));
  const refused = await confirm({ ...confirmed(shown), written, asked: slip });
  expect(refused.status).toBe(409);
  expect(refused.text).toContain('An account of the list was awarded by this gig since you saw');
  expect(rows(refused).map((row) => /Will be awarded|Skipped|Error/.exec(row)?.[0])).toEqual([
    'Will be awarded',
    'Skipped',
    'Skipped',
  ]);
  const boxes = [...refused.text.matchAll(/name="asked" value="[^"]*"( checked)?/g)].map(([, checked]) => checked);
  expect(boxes).toEqual([undefined, ' checked']);
  expect((await confirm({ ...confirmed(refused), asked: slip })).status).toBe(303);
  expect(await awarded()).toHaveLength(3);
});

test('security: a line in doubt that is ticked in two tabs is awarded once, and a form awards at most 500 lines', async () => {
  const list = 'x:1700000000000001000,1';
  const [one, two] = [await preview(list), await preview(list)];
  const tick = (shown: Answered) => confirm({ ...confirmed(shown), asked: ticked(shown)[0] ?? '' });
  expect((await tick(one)).status).toBe(303);
  const second = await tick(two);
  expect([second.status, second.text.includes('An account of the list was awarded by this gig since')]).toEqual([
    409,
    true,
  ]);
  expect(await awarded()).toHaveLength(1);
  const many = Array.from({ length: 501 }, (_, n) => `farcaster:${n + 1},0.0001`).join('\n');
  expect((await confirm({ list: many, key: 'many' })).status).toBe(409);
  expect(await awarded()).toHaveLength(1);
});

test('behavior: lines that may be a slip are left out unless they are ticked', async () => {
  await service.store.transaction((tx) =>
    tx.addGigOwner(gig.id, { platform: 'farcaster', platformUserId: '2002' }, NOW, null),
  );
  const list = `${OWNER},1\n@bob,1\nfarcaster:4242,1\nfarcaster:4294967296,1\nx:1700000000000001000,1\n@alice,1`;
  const shown = await preview(list);
  expect(rows(shown).map((row) => /(?:DEGEN) ((?:Will|Skipped).*?)(?: \. Award.*)?$/.exec(row)?.[1])).toEqual([
    'Skipped it is you',
    'Skipped it is an owner of the gig',
    'Skipped it is the bot',
    'Skipped Farcaster has no id as large as this',
    'Skipped a spreadsheet may have rounded the id, which ends in 000',
    'Will be awarded',
  ]);
  expect(confirmedList(shown)).toBe('farcaster:2001,1');
  const again = await owner.submit('/my', page(), { list, change: '1' });
  expect([again.status, again.text.replaceAll('\r', '').includes(`${OWNER},1\n@bob,1`)]).toEqual([200, true]);
});

test('error: a used key awards no other list, and the second form takes ids alone', async () => {
  const sent = confirmed(await preview('@alice,10'));
  expect((await confirm(sent)).status).toBe(303);
  expect((await confirm({ ...sent, list: 'farcaster:2001,11' })).status).toBe(409);
  // The key is of one page.
  const other = await seedGig(service.store, { client: `owner:${OWNER}`, live: true, startTime: NOW - 1_000 });
  const award = `/my/gigs/${other.id}/award`;
  const { headers } = await owner.submit(award, `${award}/confirm`, sent);
  expect(headers.get('location')).toBe(`/my/gigs/${other.id}/report`);
  for (const list of ['@alice,1', 'farcaster:2001,1\nnonsense', '', 'farcaster:2001,1\nfarcaster:2001,1'])
    expect([list, (await confirm({ list, key: `k${list.length}` })).status]).toEqual([list, 409]);
  expect(await awarded()).toHaveLength(1);
});

test('error: more than is left has no second form, and cannot be forced', async () => {
  const shown = await preview('@alice,60\n@bob,41');
  expect(shown.text).toContain('more than the gig can still award');
  expect(() => confirmed(shown)).toThrow();
  expect((await confirm({ list: 'farcaster:2001,101', key: 'k' })).status).toBe(409);
  expect(await awarded()).toEqual([]);
});

test('security: formulas, quotes and every mark are text, and nothing of them is markup', async () => {
  const lines = [
    '=cmd|"/c calc"!A1,1',
    '"<script>alert(1)</script>",1',
    '@alice,"=1+1"',
    '"@bob","2"',
    '@al\u202Eice,1',
  ];
  const shown = await preview(lines.join('\r\n'));
  expect(shown.text).not.toContain('<script>alert');
  expect(rows(shown).map((row) => /Will be awarded|Error/.exec(row)?.[0])).toEqual([
    'Error',
    'Error',
    'Error',
    'Will be awarded',
    'Error',
  ]);
});

test('behavior: files are read as Excel, LibreOffice and Google Sheets write them', async () => {
  const utf16be = Buffer.from('\uFEFFaccount\tamount\r\n@alice\t10\r\n', 'utf16le').swap16();
  const FILES: readonly [name: string, Uint8Array][] = [
    ['Excel, CSV UTF-8', Buffer.from('\uFEFFaccount,amount\r\n@alice,10\r\n')],
    ['Excel, CSV UTF-8, decimal comma', Buffer.from('\uFEFFaccount;amount\r\n@alice;10,0\r\n')],
    ['Excel, CSV', Buffer.from('account,amount,name\r\n@alice,10,J\u00fcrgen\r\n', 'latin1')],
    ['Excel, CSV, decimal comma', Buffer.from('account;amount;name\r\n@alice;10,0;Ren\u00e9\r\n', 'latin1')],
    ['Excel, Unicode text', Buffer.from('\uFEFFaccount\tamount\r\n@alice\t10\r\n', 'utf16le')],
    ['Excel, Macintosh', Buffer.from('account,amount\r@alice,10\r')],
    ['Excel, empty columns', Buffer.from('account,amount,,\r\n@alice,10,,\r\n,,,\r\n')],
    ['LibreOffice, quotes everywhere', Buffer.from('"account","amount"\n"@alice","10"\n')],
    ['LibreOffice, semicolon', Buffer.from('"account";"amount"\n"@alice";10\n')],
    ['LibreOffice, UTF-16BE', utf16be],
    ['Google Sheets, CSV', Buffer.from('account,amount\r\n@alice,10')],
    ['Google Sheets, TSV', Buffer.from('account\tamount\r\n@alice\t10')],
  ];
  for (const [name, file] of FILES) {
    const shown = await upload(file);
    expect([name, shown.status, confirmedList(shown)]).toEqual([name, 200, 'farcaster:2001,10']);
  }
});

test('security: NUL, binary and large files are not read', async () => {
  for (const file of [Buffer.from('@alice,10\0'), Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10])]) {
    const answer = await upload(file);
    expect([answer.status, answer.text.includes('must be plain text')]).toEqual([400, true]);
  }
  const long = await upload('@alice,1\n'.repeat(7_500));
  expect([long.status, long.text.includes('Up to 64 kB per list')]).toEqual([400, true]);
  const many = await upload('farcaster:1,1\n'.repeat(501));
  expect([many.status, many.text.includes('Up to 500 lines per list')]).toEqual([400, true]);
  const huge = await upload('x'.repeat(200_000));
  expect([huge.status, huge.text.includes('A list may have 500 lines in 64 kB')]).toEqual([413, true]);
  expect((await upload('')).text).toContain('The list is empty');
  expect(asked).toEqual([]);
});

test('security: an upload of 50 MB is refused after 80 kB of it', async () => {
  let sent = 0;
  const piece = new Uint8Array(16_384).fill(120);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += piece.byteLength;
      controller.enqueue(piece);
      if (sent >= 50_000_000) controller.close();
    },
  });
  const response = await service.app.request(
    new Request(`http://gigclaim.test${page()}`, {
      method: 'POST',
      headers: {
        cookie: `gigclaim_my=${owner.cookies.get('gigclaim_my')}`,
        'sec-fetch-site': 'same-origin',
        'content-type': 'multipart/form-data; boundary=x',
      },
      body,
      duplex: 'half',
    } as RequestInit),
  );
  expect(response.status).toBe(413);
  expect(sent).toBeLessThan(200_000);
});

test('security: platforms are asked about at most 50 handles of a list, 100 of an owner an hour, and 500 in all', async () => {
  const handles = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `@u${from + n},0.01`).join('\n');
  const refused = await preview(handles(51));
  expect([refused.status, refused.text.includes('Up to 50 handles per list. Use ids for the rest.')]).toEqual([
    400,
    true,
  ]);
  expect(refused.text).toContain('@u50,0.01');
  expect(asked).toEqual([]);
  expect((await preview(handles(50))).status).toBe(200);
  // The hour begins with the first of them, whatever is asked since.
  service.time.now += 30 * MINUTE;
  expect((await preview(handles(50, 50))).status).toBe(200);
  expect(asked).toHaveLength(100);
  expect((await preview('@alice,1')).text).toContain('too many handles within an hour');
  expect((await preview('farcaster:2001,1')).status).toBe(200);
  const owners = `/my/gigs/${gig.id}/owners`;
  const added = await owner.submit('/my', owners, { platform: 'farcaster', account: 'bob' });
  expect([added.status, added.text.includes('too many handles within an hour')]).toEqual([409, true]);
  expect((await owner.submit('/my', owners, { platform: 'farcaster', account: '2002' })).status).toBe(303);
  // Wallets are free: those of one person share what all owners have.
  let last: Answered | undefined;
  for (let wallet = 1; wallet <= 6; wallet += 1) {
    const name = `wallet:0x${String(wallet).padStart(40, '0')}`;
    const stranger = await browserOf(service, name, { at: NOW - 60 * MINUTE });
    const { id } = await seedGig(service.store, { client: `owner:${name}`, live: true, startTime: NOW - 1_000 });
    for (const from of [0, 50])
      last = await stranger.submit('/my', `/my/gigs/${id}/award`, { list: handles(50, 1_000 * wallet + from) });
  }
  expect(last?.text).toContain('All owners together have asked about too many handles within an hour');
  expect(asked).toHaveLength(500);
  service.time.now += 30 * MINUTE + 1;
  expect((await preview('@alice,1')).status).toBe(200);
  expect((await owner.submit('/my', owners, { platform: 'farcaster', account: 'bob' })).status).toBe(303);
});

test('security: before a gig was funded and started no platform is asked for a handle', async () => {
  const { id } = await seedGig(service.store, { client: `owner:${OWNER}` });
  const owners = `/my/gigs/${id}/owners`;
  const refused = await owner.submit('/my', owners, { platform: 'farcaster', account: 'alice' });
  expect([refused.status, refused.text.includes('Until the gig has started, name an account by its id')]).toEqual([
    409,
    true,
  ]);
  expect((await owner.submit('/my', owners, { platform: 'farcaster', account: '2001' })).status).toBe(303);
  expect(asked).toEqual([]);
});

test('security: an account that may not change owners asks no platform for a handle', async () => {
  const others = await seedGig(service.store, { client: 'acme' });
  const listed = { owners: [{ platform: 'farcaster', platformUserId: '1003' }] };
  const closed = await seedGig(service.store, { client: 'acme', ...listed });
  for (const [{ id }, status] of [
    [others, 404],
    [closed, 409],
  ] as const) {
    const answer = await owner.submit('/my', `/my/gigs/${id}/owners`, { platform: 'farcaster', account: 'alice' });
    expect(answer.status).toBe(status);
  }
  expect(asked).toEqual([]);
});

test('security: awards only by the owner of a live gig, or where owners may award, and not in a new session', async () => {
  const listed = { owners: [{ platform: 'farcaster', platformUserId: '1003' }], live: true, startTime: NOW - 1_000 };
  const others = [
    await seedGig(service.store, { client: 'acme', ...listed }),
    await seedGig(service.store, { client: `owner:${OWNER}` }),
  ];
  for (const { id } of others) {
    for (const answer of [
      await owner.get(`/my/gigs/${id}/award`),
      await owner.submit('/my', `/my/gigs/${id}/award`, { list: '@alice,1' }),
      await owner.submit('/my', `/my/gigs/${id}/award/confirm`, { list: 'farcaster:2001,1', key: 'k' }),
    ])
      expect(answer.status).toBe(409);
  }
  const open = await seedGig(service.store, { client: 'acme', ownersMayAward: true, ...listed });
  expect((await owner.get(`/my/gigs/${open.id}/award`)).status).toBe(200);
  const fresh = await browserOf(service, OWNER);
  const soon = await confirm({ list: 'farcaster:2001,1', key: 'k' }, fresh);
  expect([soon.status, soon.text.includes('10 minutes after your sign-in.')]).toEqual([409, true]);
  expect((await preview('@alice,1', fresh)).status).toBe(409);
  expect([asked, await awarded()]).toEqual([[], []]);
  service.time.now += 10 * MINUTE;
  expect((await confirm({ list: 'farcaster:2001,1', key: 'k' }, fresh)).status).toBe(303);
});
