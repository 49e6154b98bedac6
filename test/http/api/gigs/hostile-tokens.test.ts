import { type Hex, numberToHex, padHex, stringToHex } from 'viem';
import { expect, test } from 'vitest';
import { checksummed } from '../../../../src/domain/gigs/token.ts';
import { deployToken, freshAccount, placeCode } from '../../../support/anvil.ts';
import { serveJsonRpc } from '../../../support/json-rpc.ts';
import { answeringWord, REVERTING, SILENT, speakingToken, textAnswer } from '../../../support/token.ts';
import { forThisTest, openService, service, shareService } from '../../service.ts';
import { create, invalid, refusal, TERMS, told } from '../../terms.ts';

shareService();

const word = (value: number | bigint) => numberToHex(value, { size: 32 });
const EIGHTEEN = word(18);

/** Creates a gig in a token that says this of itself, and answers what was stored of it. */
async function meet(said: { name: Hex; symbol: Hex; decimals?: Hex }) {
  const address = await placeCode(speakingToken({ decimals: EIGHTEEN, ...said }));
  await create(service, { token_address: address });
  const { name, symbol } = (await service.store.token(31337, address)) ?? {};
  return { address, name, symbol };
}

const post = (address: Hex) => told(service.send('POST', '/api/gigs/create', { ...TERMS, token_address: address }));

const notFound = (address: Hex) => refusal(404, `Token with address ${checksummed(address)} not found on chain anvil`);

test.each<[text: string, symbol: string]>([
  ['USDC.e', 'USDC.e'],
  ['stETH/ETH 80-20', 'stETH/ETH 80-20'],
  ['日本円', '日本円'],
  ['  PAD  DED ', 'PAD DED'],
  ['@everyone', 'everyone'],
  ['＠everyone', 'everyone'],
  ['USD\u0000C\u0007', 'USD C'],
  ['line\nbreak\r\n\ttab', 'line break tab'],
  ['abc\u202Edef\u202C', 'abc def'],
  ['zero\u200Bwidth\u2060\uFEFFjoined', 'zero width joined'],
  ['<script>alert(1)', 'script alert(1)'],
  ['FREE https://evil.example/claim?x=1', 'FREE'],
  ['go to evil.example', 'go to'],
  ['evil.example/claim now', 'now'],
  ['www.evil now', 'now'],
  ['t.me/evil', ''],
  ['evil．example', ''],
  ['evil。example', ''],
  // Nothing may become a link by what is taken out of it.
  ['evil.c@om', 'evil.c om'],
  ['evil.<c>om', 'evil. c om'],
  ['http:@//evil', 'http: //evil'],
  ['evil\u200B.com', 'evil .com'],
  ['A'.repeat(21), 'A'.repeat(20)],
  ['𝔸'.repeat(21), 'A'.repeat(20)],
  ['🦄'.repeat(21), '🦄'.repeat(20)],
])('security: a token that calls itself %j', async (text, symbol) => {
  const met = await meet({ name: textAnswer('Some Token'), symbol: textAnswer(text) });
  const short = `${checksummed(met.address).slice(0, 6)}…${met.address.slice(-4)}`;
  if (symbol === '') expect(met.symbol?.toLowerCase()).toBe(short.toLowerCase());
  else expect(met.symbol).toBe(symbol);
  expect(met.name).toBe('Some Token');
});

test('security: names are cleaned as symbols are, may be longer, and the symbol stands in for an empty one', async () => {
  expect(await meet({ name: textAnswer('@here visit evil.example'), symbol: textAnswer('OK') })).toMatchObject({
    name: 'here visit',
    symbol: 'OK',
  });
  expect(await meet({ name: textAnswer('n'.repeat(65)), symbol: textAnswer('OK') })).toMatchObject({
    name: 'n'.repeat(64),
  });
  expect(await meet({ name: textAnswer('\u202E\u2800'), symbol: textAnswer('OK') })).toMatchObject({ name: 'OK' });
});

test('behavior: a token without a symbol goes by its address', async () => {
  const { address, name, symbol } = await meet({ name: textAnswer(''), symbol: textAnswer('') });
  const full = checksummed(address);
  expect(symbol).toBe(`${full.slice(0, 6)}…${full.slice(-4)}`);
  expect(name).toBe(symbol);
});

test('security: a contract that tells a very long story is cut off without holding everybody up', async () => {
  for (const text of [
    'a'.repeat(300_000),
    'a.'.repeat(150_000),
    `${'a'.repeat(300_000)}://`,
    '\uFDFA'.repeat(90_000),
  ]) {
    const { symbol } = await meet({ name: textAnswer(text), symbol: textAnswer(text) });
    expect(Array.from(symbol ?? '').length).toBeLessThanOrEqual(20);
  }
});

test('behavior: tokens older than the standard say their name in one word', async () => {
  const mkr = padHex(stringToHex('MKR'), { dir: 'right', size: 32 });
  const { address } = await meet({ name: mkr, symbol: mkr });
  expect(await service.store.token(31337, address)).toMatchObject({ name: 'MKR', symbol: 'MKR', decimals: 18 });
  const rude = await meet({
    name: padHex(stringToHex('@here evil.example'), { dir: 'right' }),
    symbol: padHex('0xfffe41', { dir: 'right' }),
  });
  expect(rude.name).toBe('here');
  expect(rude.symbol).toBe('\uFFFD\uFFFDA');
});

test.each<[what: string, code: Hex]>([
  ['reverts every call', REVERTING],
  ['answers every call with nothing', SILENT],
  ['answers every call with the same word', answeringWord('0x1234')],
  ['has no symbol()', speakingToken({ name: textAnswer('A'), decimals: EIGHTEEN })],
  ['has no decimals()', speakingToken({ name: textAnswer('A'), symbol: textAnswer('A') })],
  ['has 256 decimals', speakingToken({ name: textAnswer('A'), symbol: textAnswer('A'), decimals: word(256) })],
  ['counts decimals beyond all bounds', speakingToken({ symbol: textAnswer('A'), decimals: word(2n ** 256n - 1n) })],
  [
    'points its text at nowhere',
    speakingToken({ name: `${word(2n ** 255n)}${word(1).slice(2)}`, symbol: textAnswer('A'), decimals: EIGHTEEN }),
  ],
  [
    'promises more text than it sends',
    speakingToken({
      name: textAnswer('A'),
      symbol: `${word(32)}${word(2n ** 64n).slice(2)}${word(65).slice(2)}`,
      decimals: EIGHTEEN,
    }),
  ],
  ['stops in the middle', speakingToken({ name: textAnswer('A'), symbol: '0x00', decimals: EIGHTEEN })],
])('error: a contract that %s is no token', async (_, code) => {
  const address = await placeCode(code);
  expect(await post(address)).toEqual(notFound(address));
  expect(await service.store.token(31337, address)).toBeNull();
});

test('error: an address without a contract is no token', async () => {
  const { address } = await freshAccount();
  const precompiled = '0x0000000000000000000000000000000000000004';
  for (const each of [address, precompiled, '0x0000000000000000000000000000000000000000'] as const) {
    expect(await post(each)).toEqual(notFound(each));
  }
});

test('error: a token that cannot be counted with is refused by its number of decimals', async () => {
  for (const decimals of [37, 255]) {
    const address = await placeCode(
      speakingToken({ name: textAnswer('A'), symbol: textAnswer('A'), decimals: word(decimals) }),
    );
    expect(await post(address)).toEqual(
      invalid(`Token ${checksummed(address)} has ${decimals} decimals; at most 36 are supported`),
    );
    expect(await service.store.token(31337, address)).toBeNull();
  }
  const fine = await placeCode(speakingToken({ name: textAnswer('A'), symbol: textAnswer('A'), decimals: word(36) }));
  const created = await create(service, { token_address: fine, amount: `0.${'0'.repeat(35)}1` });
  expect(created.gig_balance).toBe(`0.${'0'.repeat(35)}1`);
});

test('behavior: what is known of a token stays, whatever its contract says later', async () => {
  const { address } = await deployToken({ decimals: 6, symbol: 'FIRST' });
  await create(service, { token_address: address });
  const stored = await service.store.token(31337, address);
  await create(service, { token_address: checksummed(address), amount: 3 });
  expect(await service.store.token(31337, address)).toEqual(stored);
});

test('error: an endpoint of another chain is not a token that is missing', async () => {
  const rpc = await serveJsonRpc(() => ({ result: '0x1' }));
  const other = await forThisTest(openService({ rpcUrl: rpc.url }));
  const token = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  expect(await told(other.send('POST', '/api/gigs/create', { ...TERMS, token_address: token }))).toEqual(
    refusal(503, 'The chain of this gig cannot be reached right now; nothing was changed, try again later'),
  );
  await rpc.close();
});
