import { expect, test } from 'vitest';
import { type AwardLine, MAX_AWARD_LINES, readAwardList } from '../../../src/domain/owners/award-list.ts';

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

test('error: a line that is wrong says why, and spoils no other', () => {
  const texts = ['1001,10', 'alice,10', '@alice', '@alice,1,2', '@alice,"1,000"'];
  const found = said([...texts, '"@alice,10', '@al""ice,10', '@a\u202Elice,10'].join('\n'));
  expect(found.map((each) => ('problem' in each ? each.problem : 'read'))).toEqual([
    '1001 is ambiguous: write @1001 for a handle, or farcaster:1001 for an id',
    'the account must be like @alice, farcaster:1001 or x:2222',
    'the line must be an account, a comma and an amount, such as @alice,10',
    'the line must be an account, a comma and an amount, such as @alice,10',
    'the amount must be a positive number such as 10 or 0.5',
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
    'the account is no handle of Farcaster',
    'the account is no id of X',
    'the account is no id of X',
    'the account must be like @alice, farcaster:1001 or x:2222',
    'the account must be like @alice, farcaster:1001 or x:2222',
  ]);
  expect(said('1001,10', 'twitter')).toEqual([
    { problem: '1001 is ambiguous: write @1001 for a handle, or x:1001 for an id' },
  ]);
  expect(problem('')).toBe('The list is empty: write one account and one amount on each line.');
  expect(problem('@alice,10'.padEnd(64 * 1024 + 1))).toBe(
    'The list must have at most 64 kB: divide it into several lists.',
  );
  expect(problem('\0')).toBe('The list must be plain text in UTF-8: save it as CSV in UTF-8.');
  expect(problem('@alice,10\n'.repeat(MAX_AWARD_LINES + 1))).toBe(
    'The list has 501 lines, and may have 500: divide it into several lists.',
  );
});

test('behavior: a line is shown cut, and a list of exactly 64 kB is read', () => {
  const [line] = lines(`@${'a'.repeat(500)},10`);
  expect(line?.text.length).toBeLessThan(500);
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
  for (const text of [utf16, '@alice,10\0', '@al\uFFFDice,10']) expect(problem(text)).toMatch(/UTF-8/);
  expect(problem('@alice,10\n'.repeat(MAX_AWARD_LINES + 1))).toMatch(/501 lines, and may have 500/);
  expect(problem('@alice,10'.padEnd(64 * 1024 + 1))).toMatch(/at most 64 kB/);
  for (const text of ['', ' \n ', 'account,amount']) expect(problem(text)).toMatch(/empty/);
  expect(lines('@alice,10\n'.repeat(MAX_AWARD_LINES))).toHaveLength(MAX_AWARD_LINES);
  expect(lines(`${'"'.repeat(60_000)}`)).toHaveLength(1);
});
