import { beforeAll, expect, inject, test } from 'vitest';
import { walletOn } from '../../http/my/browser.ts';
import { openService, seedLocalGig } from '../../http/service.ts';
import { deployToken, type TestToken } from '../../support/anvil.ts';
import { findFaults, LARGE_PHONE } from '../../support/browser.ts';
import { useServed } from './served.ts';

const OWNER = 'farcaster:1003';
const LINES = 40;

const served = useServed(() => openService({ signIn: walletOn(inject('anvilUrl')) }));
let token: TestToken;

beforeAll(async () => {
  token = await deployToken({ decimals: 18, symbol: 'DEGEN' });
});

/** The rows of a sheet: a header, and accounts with a note and half a token each. */
function rowsOf(count: number, { half = '0.5', note = 'Grüße' } = {}): string[][] {
  const rows = Array.from({ length: count }, (_, index) => [`farcaster:${2_001 + index}`, note, half]);
  return [['account', 'note', 'amount'], ...rows];
}

const lines = (rows: string[][], separator: string) => rows.map((row) => `${row.join(separator)}\r\n`).join('');
const quoted = (rows: string[][]) => rows.map((row) => row.map((field) => `"${field}"`));
const BOM = '\u{FEFF}';

/** A sheet as programs save it. */
const FILES: readonly [program: string, write: (count: number) => Buffer][] = [
  ['Excel, as CSV UTF-8', (count) => Buffer.from(BOM + lines(rowsOf(count), ','))],
  [
    'Excel in German, as CSV in Windows-1252',
    (count) => Buffer.from(`sep=;\r\n${lines(rowsOf(count, { half: '0,5' }), ';')}`, 'latin1'),
  ],
  ['Excel, as Unicode text in UTF-16', (count) => Buffer.from(BOM + lines(rowsOf(count), '\t'), 'utf16le')],
  ['LibreOffice, with quotes', (count) => Buffer.from(lines(quoted(rowsOf(count, { half: '0,5' })), ';'))],
  ['Google Sheets', (count) => Buffer.from(lines(rowsOf(count), ',').trimEnd())],
];

test.each(FILES)('behavior: on a phone, %s awards 40 accounts, and its correction the 41st alone', async (_, write) => {
  const gig = await seedLocalGig(served.service.store, token, {
    client: `owner:${OWNER}`,
    live: true,
    startTime: served.service.time.now - 60_000,
  });
  const { page, close } = await served.browser.tab({ viewport: LARGE_PHONE, reducedMotion: 'reduce' });
  await served.enter(page, OWNER, { at: served.service.time.now - 3_600_000 });
  const award = async (count: number, button: string) => {
    await page.goto(`${served.url}/my/gigs/${gig.id}/award`);
    const file = { name: 'awards.csv', mimeType: 'text/csv', buffer: write(count) };
    await page.getByLabel('Or choose a CSV file').setInputFiles(file);
    await page.getByRole('button', { name: 'Preview the awards' }).click();
    await page.getByRole('button', { name: button }).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.getByRole('button', { name: button }).click();
    await page.getByRole('heading', { name: 'Earners of gig' }).waitFor();
  };
  await award(LINES, 'Award 40 accounts 20 DEGEN');
  await award(LINES + 1, 'Award 1 account 0.5 DEGEN, and what you ticked');
  const tips = await served.service.store.tipsOfGig(gig.id, { limit: 100 });
  expect(new Set(tips.map(({ platformUserId }) => platformUserId)).size).toBe(LINES + 1);
  expect([tips.length, (await served.service.store.gig(gig.id))?.awardedAmount]).toEqual([
    LINES + 1,
    205n * 10n ** 17n,
  ]);
  await close();
});
