import { createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../src/domain/operators/actor.ts';
import type { ChannelStatus, FarcasterSignIn, SignInWay, WalletSignIn } from '../../../src/domain/owners/sign-in.ts';
import type { SignInContext } from '../../../src/services/owners/context.ts';
import {
  endOwnerSession,
  endOwnerSessions,
  findOwnerSession,
  listOwnerSessions,
  NEW_SESSION_MS,
} from '../../../src/services/owners/sessions.ts';
import {
  askFarcaster,
  beginSignIn,
  newBrowser,
  SIGN_IN_MS,
  signInWithFarcaster,
  signInWithWallet,
} from '../../../src/services/owners/sign-in.ts';
import { perCase, storePerCase } from '../../support/per-case.ts';
import { seedAddress } from '../../support/store.ts';
import { createClock } from '../fakes.ts';

const HOUR = 3_600_000;
const WALLET = { address: seedAddress(7), chainId: 8453 };

const { store } = storePerCase();
const time = perCase(createClock);
/** What the ways answer, and what they were asked. */
let signer: 'key' | 'contract' | null;
let fid: string | null;
let channel: ChannelStatus | null;
let verified: unknown[];
let duringVerify: () => Promise<unknown>;

beforeEach(() => {
  signer = 'key';
  fid = '1003';
  channel = { url: 'https://a.example/', answer: { message: 'm', signature: 's' } };
  verified = [];
  duringVerify = async () => undefined;
});

const wallet: WalletSignIn = {
  message: async () => 'm',
  verify: async (...asked) => {
    verified.push(asked);
    await duringVerify();
    return signer;
  },
};
const farcaster: FarcasterSignIn = {
  open: async () => ({ token: 't', url: 'https://a.example/' }),
  status: async () => channel,
  verify: async (...asked) => {
    verified.push(asked);
    return fid;
  },
  askRelay: async () => undefined,
  askRegistries: async () => undefined,
};
const deps = () => ({ store, clock: time.clock, signIn: { wallet, farcaster }, randomBytes });
const begin = (way: SignInWay, browser = 'b') => beginSignIn(deps(), { way, browser });
const shared = { browser: 'b', label: 'Firefox', replaces: undefined, requestId: 'r1' };
const byWallet = (nonce: string, change: object = {}, using: SignInContext = deps()) =>
  signInWithWallet(using, { ...shared, nonce, wallet: WALLET, message: 'm', signature: 's', ...change });
const byFarcaster = (nonce: string, change: object = {}, using: SignInContext = deps()) =>
  signInWithFarcaster(using, { ...shared, nonce, channel: 't', ...change });
const find = (token: string | undefined) => findOwnerSession(deps(), token);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

async function open(): Promise<string> {
  const opened = await byFarcaster((await begin('farcaster')).nonce);
  if (opened === null) throw new Error('no session was opened');
  return opened.token;
}

describe('a sign-in', () => {
  test('security: has a nonce of letters and digits, ends after ten minutes, and is stored as hashes', async () => {
    const begun = await begin('wallet');
    expect(begun.nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(begun).toEqual({ nonce: begun.nonce, issuedAt: time.clock(), expiresAt: time.clock() + SIGN_IN_MS });
    expect(SIGN_IN_MS).toBe(600_000);
    expect(await store.openSignIn(hashOf(begun.nonce), { browser: hashOf('b'), now: time.clock() })).toMatchObject({
      hash: hashOf(begun.nonce),
      way: 'wallet',
    });
    expect(newBrowser(deps())).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('behavior: with a wallet opens a session of the wallet, whose message was verified as it was issued', async () => {
    const { nonce, issuedAt, expiresAt } = await begin('wallet');
    time.advance(1_000);
    const opened = await byWallet(nonce);
    expect(verified).toEqual([
      [{ message: 'm', signature: 's' }, { ...WALLET, nonce, issuedAt, expiresAt }, issuedAt + 1_000],
    ]);
    expect(opened?.expiresAt).toBe(issuedAt + 1_000 + 12 * HOUR);
    expect(await find(opened?.token)).toMatchObject({
      owner: { kind: 'wallet', address: WALLET.address, chainId: null },
    });
  });

  test('security: of a contract counts on its chain alone', async () => {
    signer = 'contract';
    const opened = await byWallet((await begin('wallet')).nonce);
    expect(await find(opened?.token)).toMatchObject({ owner: { kind: 'wallet', ...WALLET } });
  });

  test('behavior: with Farcaster opens a session of the account that the relay’s answer proves', async () => {
    const { nonce, expiresAt } = await begin('farcaster');
    expect(await askFarcaster(deps(), { nonce, browser: 'b', channel: 't' })).toEqual({ ...channel, expiresAt });
    const opened = await byFarcaster(nonce);
    expect(verified).toEqual([[{ message: 'm', signature: 's' }, nonce]]);
    expect(await find(opened?.token)).toMatchObject({
      name: 'farcaster:1003',
      client: 'owner:farcaster:1003',
      newUntil: time.clock() + NEW_SESSION_MS,
    });
  });

  test('security: opens nothing when it is used, over, another browser’s, of another way or unknown', async () => {
    const { nonce } = await begin('wallet');
    expect(await byWallet(nonce, { browser: 'other' })).toBeNull();
    expect(await byFarcaster(nonce)).toBeNull();
    expect(await byWallet('0'.repeat(32))).toBeNull();
    expect(verified).toEqual([]);
    expect(await byWallet(nonce)).not.toBeNull();
    expect(await byWallet(nonce)).toBeNull();
    const late = await begin('wallet');
    time.advance(SIGN_IN_MS);
    expect(await byWallet(late.nonce)).toBeNull();
    const other = await begin('farcaster');
    expect(await byWallet(other.nonce)).toBeNull();
    expect(await askFarcaster(deps(), { nonce: other.nonce, browser: 'other', channel: 't' })).toBeNull();
  });

  test('security: opens nothing when it is used while its signature is verified', async () => {
    const { nonce } = await begin('wallet');
    duringVerify = async () => {
      duringVerify = async () => undefined;
      expect(await byWallet(nonce)).not.toBeNull();
    };
    expect(await byWallet(nonce)).toBeNull();
  });

  test('security: opens nothing without a valid signature, an answer or a channel, and can be tried again', async () => {
    const first = await begin('wallet');
    signer = null;
    expect(await byWallet(first.nonce)).toBeNull();
    signer = 'key';
    expect(await byWallet(first.nonce)).not.toBeNull();
    const { nonce } = await begin('farcaster');
    fid = null;
    expect(await byFarcaster(nonce)).toBeNull();
    fid = '1003';
    channel = { url: 'https://a.example/', answer: null };
    expect(await byFarcaster(nonce)).toBeNull();
    channel = null;
    expect(await byFarcaster(nonce)).toBeNull();
    expect(await askFarcaster(deps(), { nonce, browser: 'b', channel: 't' })).toBeNull();
  });

  test('behavior: opens nothing by a way that is off', async () => {
    const { nonce } = await begin('wallet');
    expect(await byWallet(nonce, {}, { ...deps(), signIn: { wallet: null, farcaster } })).toBeNull();
    const other = await begin('farcaster');
    const off = { ...deps(), signIn: { wallet, farcaster: null } };
    expect(await byFarcaster(other.nonce, {}, off)).toBeNull();
    expect(await askFarcaster(off, { nonce: other.nonce, browser: 'b', channel: 't' })).toBeNull();
  });
});

describe('a session', () => {
  test('security: is known by its token until twelve hours are over, and is new for ten minutes', async () => {
    const token = await open();
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const opened = time.clock();
    expect(await find(token)).toMatchObject({ session: hashOf(token), expiresAt: opened + 12 * HOUR, at: opened });
    time.advance(NEW_SESSION_MS - 1);
    expect((await find(token))?.newUntil).toBe(opened + NEW_SESSION_MS);
    time.advance(1);
    expect((await find(token))?.newUntil).toBeNull();
    time.advance(12 * HOUR - NEW_SESSION_MS - 1);
    expect(await find(token)).not.toBeNull();
    time.advance(1);
    expect(await find(token)).toBeNull();
    expect([await find(undefined), await find(''), await find(`${token}x`)]).toEqual([null, null, null]);
    const times = { createdAt: time.clock(), expiresAt: time.clock() + HOUR };
    const odd = { hash: hashOf('odd'), owner: 'myspace:1', label: 'Firefox', ...times };
    await store.transaction((tx) => tx.insertOwnerSession(odd));
    expect(await find('odd')).toBeNull();
  });

  test('security: a new one replaces the one of the same browser, and is in the audit', async () => {
    const token = await open();
    const next = await byWallet((await begin('wallet')).nonce, { replaces: token });
    expect(await find(token)).toBeNull();
    expect(await find(next?.token)).toMatchObject({ owner: { kind: 'wallet' } });
    const [event] = await store.auditEvents({ limit: 1 });
    expect(event).toMatchObject({
      action: 'session.open',
      subject: 'owner',
      subjectId: `wallet:${WALLET.address}`,
      detail: JSON.stringify({ label: 'Firefox', expires_at: time.clock() + 12 * HOUR }),
    });
  });

  test('security: its owner ends it, one by one or all at once, and those of others stay', async () => {
    const [first, second] = [await open(), await open()];
    const other = await byWallet((await begin('wallet')).nonce);
    const signedIn = await find(first);
    if (signedIn === null) throw new Error('the session is open');
    const sessions = async () => (await listOwnerSessions(deps(), signedIn)).map(({ hash }) => hash).toSorted();
    expect(await sessions()).toEqual([hashOf(first), hashOf(second)].toSorted());
    await endOwnerSession(deps(), { signedIn, session: hashOf(other?.token ?? ''), requestId: null });
    expect(await find(other?.token)).not.toBeNull();
    await endOwnerSession(deps(), { signedIn, session: hashOf(second), requestId: null });
    expect(await sessions()).toEqual([hashOf(first)]);
    const third = await open();
    expect(await endOwnerSessions(deps(), { owner: 'farcaster:1003', actor: COMMAND_LINE })).toBe(2);
    expect(await endOwnerSessions(deps(), { owner: 'farcaster:1003', actor: COMMAND_LINE })).toBe(0);
    const closed = (await store.auditEvents({ limit: 9 })).filter(({ action }) => action === 'session.close');
    const about = { subject: 'owner', subjectId: 'farcaster:1003', gigId: null };
    expect(closed).toMatchObject([
      { ...about, actor: 'operator', detail: '{"sessions":2}' },
      {
        ...about,
        actor: 'owner',
        actorName: 'farcaster:1003',
        detail: '{"sessions":1}',
        client: 'owner:farcaster:1003',
      },
    ]);
    expect(await find(third)).toBeNull();
    expect([await find(first), await find(second)]).toEqual([null, null]);
    expect(await find(other?.token)).not.toBeNull();
  });
});
