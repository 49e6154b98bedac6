import { expect, test } from 'vitest';
import {
  type AwardLine,
  askedText,
  awardText,
  MAX_AWARD_LINES,
  readAskedText,
  readAwardList,
  readAwardText,
} from '../../../src/domain/owners/award-list.ts';

function lines(text: string, platform = 'farcaster'): readonly AwardLine[] {
  const list = readAwardList(text, platform);
  if ('problem' in list) throw new Error(list.problem);
  return list.lines;
}

function said(text: string, platform?: string) {
  return lines(text, platform).map(({ said }) => said);
}

function problem(text: string): string {
  const list = readAwardList(text, 'farcaster');
  if (!('problem' in list)) throw new Error('the list was read');
  return list.problem;
}

const ALICE = { name: { platform: 'farcaster', handle: 'alice' }, amount: '10' };

test('behavior: handles are of the gig’s platform, ids name theirs', () => {
  expect(said('@Alice,10\nfarcaster:1001,0.5\nx:2222,3\ntwitter:2223,4')).toEqual([
    ALICE,
    { name: { platform: 'farcaster', platformUserId: '1001' }, amount: '0.5' },
    { name: { platform: 'twitter', platformUserId: '2222' }, amount: '3' },
    { name: { platform: 'twitter', platformUserId: '2223' }, amount: '4' },
  ]);
  expect(said('@alice,10', 'twitter')).toEqual([{ name: { platform: 'twitter', handle: 'alice' }, amount: '10' }]);
});

test('behavior: headers, marks, quotes, spaces and all line ends are accepted, and lines keep their numbers', () => {
  for (const text of ['\uFEFFaccount,amount\r\n@alice,10\r\n', 'Account , Amount\r@alice,10', '\n"@alice" ,\t"10"\n\n'])
    expect(lines(text)).toEqual([{ place: 2, text: expect.stringContaining('alice'), said: ALICE }]);
});

test('behavior: columns are known by these names, and a list without both of them has no header', () => {
  for (const column of ['Account', 'handle', 'username', 'user', 'id', 'profile', 'Farcaster', 'FID'])
    expect([column, said(`${column},amount\nalice,10`)]).toEqual([column, [ALICE]]);
  for (const column of ['Amount', 'reward', 'award', 'tokens', 'value'])
    expect([column, said(`account,${column}\nalice,10`)]).toEqual([column, [ALICE]]);
  expect(said('account,10\nalice,10')).toEqual([
    { name: { platform: 'farcaster', handle: 'account' }, amount: '10' },
    ALICE,
  ]);
  expect(said('1alice,10\nfarcaster:@alice1,10')).toEqual([
    { name: { platform: 'farcaster', handle: '1alice' }, amount: '10' },
    { name: { platform: 'farcaster', handle: 'alice1' }, amount: '10' },
  ]);
});

test('error: a line that is wrong says why, and spoils no other', () => {
  const texts = ['1001,10', 'ali ce,10', '@alice', '@alice,1,2', '@alice,"1,000"'];
  const found = said([...texts, '"@alice,10', '@al""ice,10', '@a\u202Elice,10'].join('\n'));
  expect(found.map((each) => ('problem' in each ? each.problem : 'read'))).toEqual([
    '1001 is ambiguous: write @1001 for a handle, or farcaster:1001 for an id',
    'the account must be like @alice, farcaster:1001 or x:2222, or the URL of a profile',
    'the line must be an account, a comma and an amount, such as @alice,10',
    'the line must be an account, a comma and an amount, such as @alice,10',
    '1,000 is ambiguous: write 1.0000 or 1000',
    'its quotes do not match',
    'its quotes do not match',
    'the line has invisible characters',
  ]);
});

test('error: an account that its platform cannot have is named, and so is a list that is refused', () => {
  const problems = said('@al ice,1\nx:0,1\nx:012,1\nfarcaster:1x,1\nmyspace:1,1').map((each) =>
    'problem' in each ? each.problem : 'read',
  );
  expect(problems).toEqual([
    'not a valid Farcaster handle',
    'not a valid X id',
    'not a valid X id',
    'the account must be like @alice, farcaster:1001 or x:2222, or the URL of a profile',
    'the account must be like @alice, farcaster:1001 or x:2222, or the URL of a profile',
  ]);
  expect(said('1001,10', 'twitter')).toEqual([
    { problem: '1001 is ambiguous: write @1001 for a handle, or x:1001 for an id' },
  ]);
  expect(problem('')).toBe('The list is empty: write one account and one amount on each line.');
  expect(problem('@alice,10'.padEnd(64 * 1024 + 1))).toBe('Up to 64 kB per list. Divide the list.');
  expect(problem('\0')).toBe('The list must be plain text: save it as CSV.');
  expect(problem('@alice,10\n'.repeat(MAX_AWARD_LINES + 1))).toBe('Up to 500 lines per list. Divide the list.');
});

test('behavior: a line is shown cut, and a list of exactly 64 kB is read', () => {
  const [line] = lines(`@${'a'.repeat(500)},10`);
  expect(line?.text.length).toBeLessThan(500);
  expect(lines('  @alice,10 ')[0]?.text).toBe('@alice,10');
  expect(lines('@alice,10'.padEnd(64 * 1024))).toHaveLength(1);
  expect(lines('account,amount\n@alice,10\naccount,amount')).toHaveLength(2);
  expect(said('"@alice","10"')).toEqual([ALICE]);
  expect(said('" @alice ","10 "')).toEqual([ALICE]);
  expect(lines('my account,amount\n@alice,10')).toHaveLength(2);
  expect(said('FARCASTER:1001,1')).toEqual([{ name: { platform: 'farcaster', platformUserId: '1001' }, amount: '1' }]);
});

test('security: formulas, look-alike letters, signs and exponents award nothing', () => {
  const formulas = ['=1+1,10', '+1,10', '@SUM(A1:A9),10'];
  for (const line of [...formulas, '@аlice,10', '＠alice,10', '@alice,=1', '@alice,-1', '@alice,+1'])
    expect([line, said(line)]).toEqual([line, [{ problem: expect.any(String) }]]);
  for (const amount of ['1e3', '0', '0x10', 'NaN', ' ', '1 000', '١', '1.'])
    expect([amount, said(`@alice,${amount}`)]).toEqual([amount, [{ problem: expect.any(String) }]]);
  for (const account of ['farcaster:0', 'farcaster:01', 'x:123456789012345678901', 'wallet:1', 'farcaster:'])
    expect([account, said(`${account},1`)]).toEqual([account, [{ problem: expect.any(String) }]]);
});

test('security: what is no text in UTF-8, too long or empty is refused as a whole', () => {
  const utf16 = new TextDecoder().decode(Buffer.from('\uFEFF@alice,10', 'utf16le'));
  for (const text of [utf16, '@alice,10\0', '@al\uFFFDice,10']) expect(problem(text)).toMatch(/plain text/);
  expect(problem('@alice,10\n'.repeat(MAX_AWARD_LINES + 1))).toMatch(/^Up to 500 lines/);
  expect(problem('@alice,10'.padEnd(64 * 1024 + 1))).toMatch(/^Up to 64 kB/);
  for (const text of ['', ' \n ', 'account,amount']) expect(problem(text)).toMatch(/empty/);
  expect(lines('@alice,10\n'.repeat(MAX_AWARD_LINES))).toHaveLength(MAX_AWARD_LINES);
  expect(lines(`${'"'.repeat(60_000)}`)).toHaveLength(1);
});

const BOB = { name: { platform: 'farcaster', handle: 'bob' }, amount: '1.5' };

test('behavior: a list is read as spreadsheets write it', () => {
  const LISTS = [
    // LibreOffice and Google Sheets: comma; Excel where the comma is the decimal mark: semicolon; a copied range: tabs.
    '@alice,10\r\n@bob,1.5\r\n',
    '@alice;10\r\n@bob;1,5\r\n',
    '@alice\t10\n@bob\t1,5\n',
    'sep=;\r\n@alice;10\r\n@bob;1,5\r\n',
    '"sep=,"\r\n@alice,10\r\n@bob,1.5\r\n',
    '@alice,10,,\r\n@bob,1.5,,\r\n',
    "'@alice,10\r\n'@bob,'1.5\r\n",
    '"@alice";"10"\r\n"@bob";"1,5"\r\n',
    'alice,10\nbob,1.5',
    'Handle,Amount\nalice,10\nbob,1.5',
    'Amount;Note;FID;Username\n10;first;;alice\n1,5;second;;bob'.replace('FID;', 'Nr;'),
    'https://farcaster.xyz/alice,10\nfarcaster.xyz/bob,1.5',
    '"alice",10\n"bob","1.5"',
  ];
  for (const text of LISTS) expect([text, said(text)]).toEqual([text, [ALICE, BOB]]);
  const byId = [{ name: { platform: 'farcaster', platformUserId: '1001' }, amount: '2' }];
  expect(said('https://farcaster.xyz/~/profiles/1001,2')).toEqual(byId);
  expect(said('note,account,amount\n"first, of all",farcaster:1001,2')).toEqual(byId);
});

test('error: an amount that people read as one and as a thousand is asked about', () => {
  for (const [list, problem] of [
    ['@alice,1.000', '1.000 is ambiguous: write 1.0000 or 1000'],
    ['@alice;1.000', '1.000 is ambiguous: write 1.0000 or 1000'],
    ['@alice;12,125', '12,125 is ambiguous: write 12.1250 or 12125'],
    ['@alice,"1,5"', 'the amount must be a positive number such as 10 or 0.5'],
    ['@alice;1.000,5', 'the amount must be a positive number such as 10 or 0.5'],
    ['https://x.com/alice,1', 'a handle must be on the platform of the gig'],
    ['x:@alice,1', 'a handle must be on the platform of the gig'],
  ])
    expect(said(list ?? '')).toEqual([{ problem }]);
  for (const amount of ['0.500', '1.0000', '1000', '1.25', '1234.500'])
    expect(said(`alice,${amount}`)).toEqual([{ ...ALICE, amount }]);
});

test('behavior: an award that a page has written is read exactly, and nothing else is', () => {
  const key = { platform: 'twitter', platformUserId: '2222' };
  expect(readAwardText(awardText(key, '1.125'))).toEqual({ ...key, amount: '1.125' });
  for (const text of ['@alice,1', 'farcaster:0,1', 'farcaster:1,-1', 'farcaster:1,1,1', 'x:1,1', '', 'farcaster:1:2,1'])
    expect([text, readAwardText(text)]).toEqual([text, null]);
});

test('behavior: an award beside what its account has is read exactly, and nothing else is', () => {
  const award = awardText({ platform: 'twitter', platformUserId: '2222' }, '1.125');
  for (const has of [0n, 10n ** 77n]) expect(readAskedText(askedText(award, has))).toEqual({ award, has });
  for (const text of [
    '',
    award,
    `${award},`,
    `${award},-1`,
    `${award},1 `,
    `a\n${award},1`,
    `${award},${'1'.repeat(79)}`,
  ])
    expect([text, readAskedText(text)]).toEqual([text, null]);
});

test('security: a field that goes over several lines awards nothing of what stands in it', () => {
  const notes = 'account,amount,note\n@alice,10,"thanks\n@mallory,1000\n@eve,5,\nbye"\n@bob,1.5';
  const within = { problem: 'it stands within the quotes that line 2 opens' };
  expect(said(notes)).toEqual([{ problem: 'its quotes do not match' }, within, within, within, BOB]);
  // Quotes that nothing closes, or in the middle of a field, spoil their own line alone.
  for (const text of ['"@al,1\n@alice,10', '@al"x,1\n@alice,10\n@b"ob,2']) expect(said(text)[1]).toEqual(ALICE);
});

test('security: a line whose fields do not stand below the header awards nothing', () => {
  const more = { problem: 'the line has more fields than the header' };
  expect(said('account,amount\n@alice,1,5\n@alice,1,000\n@bob,1.5,')).toEqual([more, more, BOB]);
  expect(said('account,amount\n@alice')).toEqual([{ problem: expect.stringContaining('a comma and an amount') }]);
  // An empty first field is not left out.
  expect(said('farcaster\tuser\tamount\tusd\n\t@xbob\t10\t25\n@bob\t\t1,5\t4')).toEqual([
    { problem: expect.stringContaining('the account must be like') },
    BOB,
  ]);
});

test('security: a header of another platform, or with two amounts, is not guessed at', () => {
  for (const [text, platform, problem] of [
    ['farcaster,amount\nalice,10', 'twitter', 'The column “farcaster” names no accounts of X.'],
    ['amount,farcaster\n10,alice', 'twitter', 'The column “farcaster” names no accounts of X.'],
    ['X,Amount\nalice,10', 'farcaster', 'The column “x” names no accounts of Farcaster.'],
    ['account,value,amount\n@alice,25,10', 'farcaster', '“value” and “amount” may both be the amount'],
  ] as const)
    expect(readAwardList(text, platform)).toEqual({ problem: expect.stringContaining(problem) });
  expect(said('farcaster,x,amount\nalice,alice_on_x,10')).toEqual([ALICE]);
  expect(said('farcaster,x,amount\nalice,bob,1.5', 'twitter')).toEqual([
    { name: { platform: 'twitter', handle: 'bob' }, amount: '1.5' },
  ]);
});
