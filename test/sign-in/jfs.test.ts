import { createHash, sign } from 'node:crypto';
import { encodePayload, verify } from '@farcaster/jfs';
import { numberToHex, pad } from 'viem';
import { expect, test } from 'vitest';
import type { TapUse } from '../../src/domain/claims/tap.ts';
import { AdapterError } from '../../src/domain/errors.ts';
import { createTaps } from '../../src/sign-in/jfs.ts';
import type { Answer } from '../support/json-rpc.ts';
import { openEndpoint } from '../support/proxies.ts';
import { type AppKey, createAppKey, PATIENT, partsOf, signHeader, signTap } from '../support/taps.ts';

const NOW = Date.UTC(2026, 10, 21, 9, 30);
const PUBLIC_URL = 'https://gigclaim.test:8443/tips';
const AUDIENCE = 'https://gigclaim.test:8443';
const FID = 1003;
const app = createAppKey();
const SAID = { fid: FID, audience: AUDIENCE, at: NOW };

/** What the registry says of a key: its state and type. */
const keyData = (state: number, type: number) => ({
  result: `0x${[state, type].map((each) => pad(numberToHex(each)).slice(2)).join('')}`,
});
const IN_USE = keyData(1, 1);

/** Taps behind an endpoint that answers like this. */
/** More than a busy machine takes. */
const IMPATIENT = { endpointMs: 300, questionMs: 600 };

async function open(answer: () => Answer = () => IN_USE, timing = PATIENT) {
  const time = { now: NOW };
  const asked: unknown[] = [];
  const { url } = await openEndpoint((method, _times, [call]) => {
    asked.push([method, call]);
    return answer();
  });
  const taps = createTaps({ publicUrl: PUBLIC_URL, rpcUrls: [url], clock: () => time.now, timing });
  return { taps, asked, time };
}

test('behavior: a tap in both forms is one and the same, as the library of Farcaster verifies it', async () => {
  const tap = signTap(app, SAID);
  await verify({ data: tap, keyTypes: ['app_key'], strict: true });
  const { taps } = await open();
  const { header, payload } = partsOf(tap);
  const digest = createHash('sha256').update(`${header}.${payload}`).digest('hex');
  const told = { fid: '1003', postId: `snap:${digest.slice(0, 32)}` };
  for (const sent of [tap, JSON.stringify(partsOf(tap)), ` ${tap}\n`]) {
    expect(await taps.verify(sent, 'claim')).toEqual(told);
  }
  const cast = { type: 'cast', cast: { hash: `0x${'a'.repeat(40)}`, author: { fid: 5 } } };
  expect(await taps.verify(signTap(app, { ...SAID, payload: { surface: cast } }), 'look')).toMatchObject({
    fid: '1003',
  });
});

test('behavior: the registry on chain 10 is asked for the key of the header', async () => {
  const { taps, asked } = await open();
  await taps.verify(signTap(app, { ...SAID, header: { key: `0x${app.key.slice(2).toUpperCase()}` } }), 'claim');
  const call = { to: '0x00000000fc1237824fb747abde0ff18990e59b7e', data: expect.stringContaining(app.key.slice(2)) };
  expect(asked).toEqual([['eth_call', call]]);
});

/** Puts other parts into a tap that is signed. */
function changed(parts: Partial<ReturnType<typeof partsOf>>, tap = signTap(app, SAID)): string {
  const { header, payload, signature } = { ...partsOf(tap), ...parts };
  return `${header}.${payload}.${signature}`;
}
const otherPayload = encodePayload({ ...SAID, user: { fid: FID }, inputs: {}, timestamp: NOW / 1000 + 1 });

test.each([
  ['of another audience', signTap(app, { ...SAID, audience: 'https://other.test' }), 'other_audience'],
  ['for another port', signTap(app, { ...SAID, audience: 'https://gigclaim.test' }), 'other_audience'],
  ['ten minutes old', signTap(app, { ...SAID, at: NOW - 600_000 }), 'out_of_time'],
  ['of the time in 301 seconds', signTap(app, { ...SAID, at: NOW + 301_000 }), 'out_of_time'],
  ['by another user', signTap(app, { ...SAID, payload: { user: { fid: 1004 } } }), 'other_account'],
  ['with another deprecated FID', signTap(app, { ...SAID, payload: { fid: 1004 } }), 'other_account'],
  ['whose payload was changed', changed({ payload: otherPayload }), 'bad_signature'],
  [
    'with the signature of another',
    changed({ signature: partsOf(signTap(createAppKey(), SAID)).signature }),
    'bad_signature',
  ],
  [
    'that names a key that did not sign',
    signTap(app, { ...SAID, header: { key: createAppKey().key } }),
    'bad_signature',
  ],
  ['whose key is no point', signTap(app, { ...SAID, header: { key: `0x${'ff'.repeat(32)}` } }), 'bad_signature'],
])('security: a tap %s is refused, and the registry is not asked', async (_, tap, refusal) => {
  const { taps, asked } = await open();
  expect(await taps.verify(tap, 'claim')).toBe(refusal);
  expect(asked).toEqual([]);
});

const valid = partsOf(signTap(app, SAID));
test.each([
  ['', 'nothing'],
  ['null', 'no object'],
  ['{"header":1}', 'other JSON'],
  ['{', 'broken JSON'],
  [`${valid.header}.${valid.payload}`, 'two parts'],
  [`${valid.header}.${valid.payload}.${valid.signature}.${valid.signature}`, 'four parts'],
  [changed({ header: 'e30' }), 'an empty header'],
  [changed({ payload: 'bnVsbA' }), 'no payload'],
  [changed({ signature: valid.signature.slice(0, -4) }), 'a short signature'],
  [signTap(app, { ...SAID, header: { type: 'custody' } }), 'a key of another type'],
  [signTap(app, { ...SAID, header: { fid: '1003' } }), 'a FID as text'],
  [signTap(app, { ...SAID, header: { fid: 0 } }), 'no FID'],
  [signTap(app, { ...SAID, header: { key: '0x12' } }), 'a short key'],
  [signTap(app, { ...SAID, payload: { timestamp: 'now' } }), 'a time as text'],
  [signTap(app, { ...SAID, payload: { more: 'a'.repeat(9_000) } }), 'too much'],
  [signHeader(app, SAID), 'the header of a request, which is no tap'],
])('error: a tap of a wrong shape is malformed (%#)', async (sent) => {
  const { taps, asked } = await open();
  expect(await taps.verify(sent, 'look')).toBe('malformed');
  expect(asked).toEqual([]);
});

test('behavior: a tap is taken for 300 seconds before and after its time, and the header of a request without inputs', async () => {
  const { taps } = await open();
  for (const at of [NOW - 300_000, NOW + 300_000])
    expect(await taps.verify(signTap(app, { ...SAID, at }), 'claim')).toMatchObject({ fid: '1003' });
  expect(await taps.verify(signHeader(app, SAID), 'header')).toMatchObject({ fid: '1003' });
});

test.each([
  [0, 1],
  [2, 1],
  [1, 2],
  [257, 1],
])('security: a key of state %i and type %i signs for nobody', async (state, type) => {
  const { taps } = await open(() => keyData(state, type));
  expect(await taps.verify(signTap(app, SAID), 'claim')).toBe('unknown_key');
});

test('security: a key is remembered for a minute for what reads, never for a claim, and not once it is removed', async () => {
  let data = IN_USE;
  const { taps, asked, time } = await open(() => data);
  const look = (use: TapUse, by: AppKey = app) => taps.verify(signTap(by, { ...SAID, at: time.now }), use);
  expect(await look('look')).toMatchObject({ fid: '1003' });
  data = keyData(2, 1);
  time.now += 59_000;
  expect(await look('look')).toMatchObject({ fid: '1003' });
  expect(asked).toHaveLength(1);
  expect(await look('claim')).toBe('unknown_key');
  // A claim has found it removed.
  expect(await look('look')).toBe('unknown_key');
  data = IN_USE;
  expect(await look('claim')).toMatchObject({ fid: '1003' });
  expect(await look('claim')).toMatchObject({ fid: '1003' });
  expect(asked).toHaveLength(5);
  data = keyData(2, 1);
  time.now += 60_000;
  expect(await look('look')).toBe('unknown_key');
  // Another key of the account was never asked for.
  expect(await look('look', createAppKey())).toBe('unknown_key');
});

test('security: a clock that is set back does not lengthen the minute', async () => {
  const { taps, asked, time } = await open();
  const look = () => taps.verify(signTap(app, { ...SAID, at: time.now }), 'look');
  await look();
  time.now -= 1;
  await look();
  expect(asked).toHaveLength(2);
});

test.each<[string, () => Answer]>([
  ['hangs', () => () => undefined],
  ['says nothing', () => ({ result: '0x' })],
  ['says too little', () => ({ result: '0x01' })],
  ['says too much', () => ({ result: `0x${'0'.repeat(63)}1${'0'.repeat(63)}1${'0'.repeat(64)}` })],
  ['says it otherwise', () => ({ result: 1 })],
  ['refuses', () => ({ error: { code: -32_000, message: 'no' } })],
])('error: an endpoint that %s is a failure, and confirms nothing', async (_, answer) => {
  const { taps } = await open(answer, IMPATIENT);
  const failed = await taps.verify(signTap(app, SAID), 'claim').catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(AdapterError);
  expect(failed).toMatchObject({ retry: 'safe', message: 'chain optimism: Farcaster’s registries do not answer' });
});

test('security: a flood of forged taps asks the registry nothing', async () => {
  const { taps, asked } = await open();
  const forged = Array.from({ length: 200 }, (_, index) =>
    changed({ signature: partsOf(signTap(createAppKey(), SAID)).signature }, signTap(app, { ...SAID, fid: index + 1 })),
  );
  const told = await Promise.all(forged.map((tap) => taps.verify(tap, 'claim')));
  // The signatures of the others are not looked at.
  expect(told).toEqual([...Array(100).fill('bad_signature'), ...Array(100).fill('too_many')]);
  expect(asked).toEqual([]);
});

test('security: a flood of forged taps keeps out no key that was confirmed, others for a second at most, and by no wrong signature of a key that was', async () => {
  const { taps, time } = await open();
  const claim = (by: AppKey, at = time.now) => taps.verify(signTap(by, { ...SAID, at }), 'claim');
  expect(await claim(app)).toMatchObject({ fid: '1003' });
  const forge = (count: number, by?: AppKey) =>
    Promise.all(
      Array.from({ length: count }, (_, index) => {
        const tap = signTap(by ?? createAppKey(), { ...SAID, at: time.now, payload: { inputs: { index } } });
        return taps.verify(changed({ signature: partsOf(signTap(createAppKey(), SAID)).signature }, tap), 'look');
      }),
    );
  expect(new Set(await forge(101, app))).toEqual(new Set(['bad_signature']));
  expect(new Set(await forge(100))).toEqual(new Set(['bad_signature']));
  expect([await claim(createAppKey()), await claim(app)]).toEqual([
    'too_many',
    expect.objectContaining({ fid: '1003' }),
  ]);
  time.now += 1_000;
  expect(await claim(createAppKey())).toMatchObject({ fid: '1003' });
  await forge(100);
  time.now -= 1;
  expect(await claim(createAppKey())).toMatchObject({ fid: '1003' });
});

test('error: while an endpoint hangs the next one is asked, within the time of a question', async () => {
  const hanging = await openEndpoint(() => () => undefined);
  const answering = await openEndpoint(() => IN_USE);
  const timing = { endpointMs: 500, questionMs: 1_000 };
  for (const before of [[hanging.url], [hanging.url, hanging.url]]) {
    const rpcUrls = [...before, answering.url];
    const taps = createTaps({ publicUrl: PUBLIC_URL, rpcUrls, clock: () => NOW, timing });
    expect(await taps.verify(signTap(app, SAID), 'claim')).toMatchObject({ fid: '1003' });
  }
});

test('security: a flood of taps by keys made at will asks the registry a limited number of times, and keeps out no key that it has confirmed', async () => {
  let data = IN_USE;
  const { taps, asked, time } = await open(() => data);
  const claim = (by: AppKey = app, count = 0) =>
    taps.verify(signTap(by, { ...SAID, at: time.now, payload: { inputs: { count } } }), 'claim');
  expect(await claim()).toMatchObject({ fid: '1003' });
  data = keyData(0, 0);
  const told = await Promise.all(Array.from({ length: 700 }, () => claim(createAppKey())));
  expect(
    Object.fromEntries(
      Map.groupBy(told, String)
        .entries()
        .map(([name, all]) => [name, all.length]),
    ),
  ).toEqual({
    unknown_key: 599,
    too_many: 101,
  });
  expect(asked).toHaveLength(600);
  data = IN_USE;
  expect(await claim()).toMatchObject({ fid: '1003' });
  expect(await claim(createAppKey())).toBe('too_many');
  time.now += 60_000;
  expect(await claim(createAppKey())).toMatchObject({ fid: '1003' });
  // One key that floods is limited by itself.
  const again = await Promise.all(Array.from({ length: 70 }, (_, index) => claim(app, index)));
  expect(again.filter((each) => each === 'too_many')).toHaveLength(10);
  expect(await claim(createAppKey())).toMatchObject({ fid: '1003' });
});

test('security: a limit of questions ends when the clock is set back', async () => {
  const { taps, time } = await open(() => keyData(0, 0));
  const claim = () => taps.verify(signTap(createAppKey(), { ...SAID, at: time.now }), 'claim');
  await Promise.all(Array.from({ length: 601 }, claim));
  expect(await claim()).toBe('too_many');
  time.now -= 1;
  expect(await claim()).toBe('unknown_key');
});

const parts = partsOf(signTap(app, SAID));
const json = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const signed = (header: unknown, payload: unknown) => {
  const bytes = `${json(header)}.${json(payload)}`;
  return `${bytes}.${sign(null, Buffer.from(bytes), app.secret).toString('base64url')}`;
};
const HEADER = { fid: FID, type: 'app_key', key: app.key };
const SAYS = { inputs: {}, timestamp: NOW / 1000, audience: AUDIENCE, user: { fid: FID } };

test.each<[string, string, string]>([
  ['a FID of 2^53', signed(JSON.stringify(HEADER).replace('1003', '9007199254740992'), SAYS), 'malformed'],
  ['a FID with a fraction', signed({ ...HEADER, fid: 1003.5 }, SAYS), 'malformed'],
  ['a time that is no number', signed(HEADER, { ...SAYS, timestamp: null }), 'malformed'],
  ['a time of 1e400', signed(HEADER, JSON.stringify(SAYS).replace(String(NOW / 1000), '1e400')), 'malformed'],
  ['a time in milliseconds', signed(HEADER, { ...SAYS, timestamp: NOW }), 'out_of_time'],
  ['a FID as text', signed(HEADER, { ...SAYS, user: { fid: '1003' } }), 'malformed'],
  ['a second user', signed(HEADER, JSON.stringify(SAYS).replace('}}', '},"user":{"fid":1004}}')), 'other_account'],
  ['a user as a list', signed(HEADER, { ...SAYS, user: [FID] }), 'malformed'],
  ['an audience with a slash', signed(HEADER, { ...SAYS, audience: `${AUDIENCE}/` }), 'other_audience'],
  ['an audience in capitals', signed(HEADER, { ...SAYS, audience: AUDIENCE.toUpperCase() }), 'other_audience'],
  ['an audience with a path', signed(HEADER, { ...SAYS, audience: PUBLIC_URL }), 'other_audience'],
  ['audiences as a list', signed(HEADER, { ...SAYS, audience: [AUDIENCE] }), 'malformed'],
  ['inputs that are a list', signed(HEADER, { ...SAYS, inputs: [] }), 'malformed'],
  ['a payload that nests 5,000 lists', signed(HEADER, '['.repeat(5_000)), 'malformed'],
  ['padding', `${parts.header}=.${parts.payload}.${parts.signature}`, 'malformed'],
  ['base64 of another alphabet', `${parts.header}.${parts.payload}.${parts.signature.slice(0, -2)}+/`, 'malformed'],
  [
    'a header that is written otherwise',
    `${json(`${JSON.stringify(HEADER)} `)}.${parts.payload}.${parts.signature}`,
    'bad_signature',
  ],
])('security: a tap with %s is refused, and asks nothing', async (_, tap, refusal) => {
  const { taps, asked } = await open();
  expect([await taps.verify(tap, 'claim'), asked]).toEqual([refusal, []]);
});

test('security: a signature that is written otherwise makes no second claim', async () => {
  const { taps } = await open();
  const tap = signed(HEADER, SAYS);
  const first = await taps.verify(tap, 'claim');
  // The last character of 64 bytes has bits that count for nothing.
  const last = tap.at(-1) ?? '';
  const twin = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = twin[twin.indexOf(last) ^ 1] ?? '';
  expect(await taps.verify(`${tap.slice(0, -1)}${other}`, 'claim')).toEqual(first);
});
