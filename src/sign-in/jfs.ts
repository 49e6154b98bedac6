import { createHash, createPublicKey, verify } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { atMost } from '../domain/at-most.ts';
import { type Tap, type TapRefusal, type Taps, type TapUse, tapPostId } from '../domain/claims/tap.ts';
import { AdapterError } from '../domain/errors.ts';
import { hasPassed, MINUTE_MS } from '../domain/time.ts';
import { inTime, openRegistries, registryFailure } from './registries.ts';

// JSON Farcaster Signatures, as the apps of Farcaster sign taps on cards: https://github.com/farcasterxyz/protocol/discussions/208

/** Taps have no fields here, so that they take some 500 characters. */
const MOST_CHARACTERS = 8_192;
const MOST_SKEW_MS = 300_000;
/** How long a key counts as held without asking again, for what only reads. Milliseconds. */
const KEPT_MS = 60_000;
const KEYS_KEPT = 10_000;
/**
 * How often a minute the registry is asked, in claims that a minute may have. Anybody makes keys at will, so those that it has not confirmed
 * share a limit: the endpoint may be the one by which payments are made.
 */
const QUESTIONS = { ofStrangers: 20, ofKey: 6 };
/**
 * After so many wrong signatures in a second, those by keys that it has not confirmed are not checked: the arithmetic takes longer than
 * the rest of a refusal. Apps sign correctly, so only a flood reaches the limit.
 */
const MOST_FORGED_A_SECOND = 100;
const SECOND_MS = 1_000;
/** For one endpoint, and for all of them: a client waits 5 seconds for the whole answer. Milliseconds. */
const TIMING = { endpointMs: 1_000, questionMs: 2_000 };

export interface TapOptions {
  /** Of the service, as clients reach it. */
  readonly publicUrl: string;
  /** The endpoints of chain 10. They may hold keys; no message contains them. */
  readonly rpcUrls: readonly string[];
  readonly clock: () => number;
  /** How many claims a minute one account may make, and all together; the defaults of the settings when absent. */
  readonly claimLimits?: { readonly client: number; readonly inAll: number };
  readonly timing?: typeof TIMING;
}

const CLAIM_LIMITS = { client: 10, inAll: 30 };

type Key = `0x${string}`;

const part = z.string().regex(/^[A-Za-z0-9_-]+$/);
const parts = z.object({ header: part, payload: part, signature: part });
const signer = z.object({
  fid: z.int().positive(),
  type: z.literal('app_key'),
  key: z.string().regex(/^0x[0-9a-f]{64}$/i),
});
const said = z.object({
  /** Deprecated: `user` has it. */
  fid: z.int().optional(),
  timestamp: z.int(),
  audience: z.string(),
  user: z.object({ fid: z.int() }),
  /** Of a tap, and of no header. */
  inputs: z.record(z.string(), z.unknown()).optional(),
});

/** What was sent, before any of it is believed. */
interface Signed {
  readonly fid: number;
  readonly key: Key;
  readonly said: z.output<typeof said>;
  readonly bytes: Buffer;
  readonly signature: Buffer;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const decoded = (text: string) => Buffer.from(text, 'base64url');

/** The compact form, or the same as JSON. */
function readParts(sent: string): z.output<typeof parts> | null {
  const text = sent.trim();
  if (text.length > MOST_CHARACTERS) return null;
  const [header, payload, signature, ...more] = text.split('.');
  const form = text.startsWith('{') ? parseJson(text) : { header, payload, signature };
  return more.length > 0 && !text.startsWith('{') ? null : (parts.safeParse(form).data ?? null);
}

function readSigned(sent: string, use: TapUse): Signed | null {
  const found = readParts(sent);
  if (found === null) return null;
  const header = signer.safeParse(parseJson(decoded(found.header).toString())).data;
  const payload = said.safeParse(parseJson(decoded(found.payload).toString())).data;
  const signature = decoded(found.signature);
  if (header === undefined || payload === undefined || signature.length !== 64) return null;
  // The header of a request that only reads must not pass for a tap.
  if (use !== 'header' && payload.inputs === undefined) return null;
  const { fid, key } = header;
  return {
    fid,
    key: `0x${key.slice(2).toLowerCase()}`,
    said: payload,
    bytes: Buffer.from(`${found.header}.${found.payload}`),
    signature,
  };
}

const nameOf = (fid: number, key: Key) => `${fid} ${key}`;

function isSigned({ key, bytes, signature }: Signed): boolean {
  const x = Buffer.from(key.slice(2), 'hex').toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, bytes, publicKey, signature);
}

interface Window {
  readonly since: number;
  count: number;
}

/** The window of so many milliseconds in which a name is counted now. */
function createWindows(clock: () => number, windowMs: number): (name: string) => Window {
  const windows = new LRUCache<string, Window>(atMost(KEYS_KEPT));
  return (name) => {
    const now = clock();
    const known = windows.get(name);
    if (known !== undefined && !hasPassed(windowMs, { since: known.since, now })) return known;
    const window = { since: now, count: 0 };
    windows.set(name, window);
    return window;
  };
}

/** Counts in windows of a minute, and says whether a name is within its limit. */
function createQuota(clock: () => number): (name: string, most: number) => boolean {
  const windowOf = createWindows(clock, MINUTE_MS);
  return (name, most) => {
    const window = windowOf(name);
    window.count += 1;
    return window.count <= most;
  };
}

/** Checks signatures. Once too many were wrong within a second, it checks none by keys that are not confirmed. */
function createSignatureCheck(clock: () => number): (signed: Signed, isStranger: boolean) => TapRefusal | null {
  const windowOf = createWindows(clock, SECOND_MS);
  return (signed, isStranger) => {
    const forged = windowOf('forged');
    if (isStranger && forged.count >= MOST_FORGED_A_SECOND) return 'too_many';
    if (isSigned(signed)) return null;
    if (isStranger) forged.count += 1;
    return 'bad_signature';
  };
}

/** Taps on cards of the service at this URL. */
export function createTaps({
  publicUrl,
  rpcUrls,
  clock,
  claimLimits = CLAIM_LIMITS,
  timing = TIMING,
}: TapOptions): Taps {
  const { origin } = new URL(publicUrl);
  const { questionMs } = timing;
  // So that each is asked in time, whichever of them hang.
  const timeoutMs = Math.min(timing.endpointMs, Math.floor(questionMs / (rpcUrls.length + 1)));
  const registries = openRegistries(rpcUrls, { timeoutMs });
  const isWithin = createQuota(clock);
  const refusalOfSignature = createSignatureCheck(clock);
  /** When the registry has confirmed them, epoch milliseconds. */
  const confirmed = new LRUCache<string, number>(atMost(KEYS_KEPT));

  async function holdsKey(fid: number, key: Key): Promise<boolean> {
    try {
      return await inTime(registries.isAppKey(fid, key), questionMs);
    } catch (cause) {
      throw cause instanceof AdapterError ? cause : registryFailure(cause);
    }
  }

  async function refusalOfKey({ fid, key }: Signed, use: TapUse): Promise<TapRefusal | null> {
    const name = nameOf(fid, key);
    const since = confirmed.get(name);
    if (use !== 'claim' && since !== undefined && !hasPassed(KEPT_MS, { since, now: clock() })) return null;
    const isStranger = since === undefined;
    const most = isStranger ? QUESTIONS.ofStrangers * claimLimits.inAll : QUESTIONS.ofKey * claimLimits.client;
    if (!isWithin(isStranger ? 'strangers' : name, most)) return 'too_many';
    const asked = clock();
    if (await holdsKey(fid, key)) {
      confirmed.set(name, asked);
      return null;
    }
    confirmed.delete(name);
    return 'unknown_key';
  }

  /** From what costs nothing to what asks another machine. */
  async function refusalOf(signed: Signed, use: TapUse): Promise<TapRefusal | null> {
    const { fid, said } = signed;
    if (said.user.fid !== fid || (said.fid ?? fid) !== fid) return 'other_account';
    if (said.audience !== origin) return 'other_audience';
    if (Math.abs(clock() - said.timestamp * 1000) > MOST_SKEW_MS) return 'out_of_time';
    const isStranger = !confirmed.has(nameOf(fid, signed.key));
    return refusalOfSignature(signed, isStranger) ?? (await refusalOfKey(signed, use));
  }

  return {
    async verify(sent, use): Promise<Tap | TapRefusal> {
      const signed = readSigned(sent, use);
      if (signed === null) return 'malformed';
      const refusal = await refusalOf(signed, use);
      if (refusal !== null) return refusal;
      const digest = createHash('sha256').update(signed.bytes).digest('hex');
      return { fid: String(signed.fid), postId: tapPostId(digest) };
    },
    holdsKey,
  };
}
