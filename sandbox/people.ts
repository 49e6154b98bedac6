import type { NetworkUser } from './networks/network.ts';

const DAY_MS = 86_400_000;

/** A person with an account on both of the sandbox's networks. */
export interface Person {
  readonly name: string;
  readonly fid: number;
  readonly xUserId: string;
  /** Verified on Farcaster; one of anvil's well-known development accounts, so it is worthless anywhere else. */
  readonly address: `0x${string}`;
  /** Farcaster's score, 0 to 1. */
  readonly score: number;
  readonly followers: number;
  /** How old the account on Farcaster is when the sandbox starts. */
  readonly ageDays: number;
}

/** The people one can post as. All but mallory pass the gates that rules have by default. */
export const PEOPLE: readonly Person[] = [
  {
    name: 'alice',
    fid: 1001,
    xUserId: '1700000000000001001',
    address: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
    score: 0.96,
    followers: 1_840,
    ageDays: 900,
  },
  {
    name: 'bob',
    fid: 1002,
    xUserId: '1700000000000001002',
    address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
    score: 0.88,
    followers: 320,
    ageDays: 420,
  },
  {
    name: 'carol',
    fid: 1003,
    xUserId: '1700000000000001003',
    address: '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
    score: 0.79,
    followers: 75,
    ageDays: 160,
  },
  {
    name: 'mallory',
    fid: 1004,
    xUserId: '1700000000000001004',
    address: '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
    score: 0.21,
    followers: 2,
    ageDays: 2,
  },
];

/** The person with this name. @throws RangeError when there is none */
export function person(name: string): Person {
  const found = PEOPLE.find((other) => other.name === name);
  if (found === undefined) throw new RangeError(`nobody here is called ${name}`);
  return found;
}

/** A person's account on the local Farcaster. `startedAt` is when the sandbox starts, epoch ms. */
export function farcasterAccount(
  { name, fid, address, score, followers, ageDays }: Person,
  startedAt: number,
): NetworkUser {
  const registeredAt = startedAt - ageDays * DAY_MS;
  return { id: String(fid), username: name, verifiedAddresses: [address], score, followers, registeredAt };
}

/** The bot on both networks. */
export const BOT = { username: 'gigclaim', fid: 9001, xUserId: '1700000000000009001' } as const;

/** Whose casts gigs are about: an account on Farcaster that nobody posts as. */
export const SPONSOR = { username: 'acme', fid: 2001 } as const;

/** The bot's credentials, which only the sandbox's own networks accept. */
export const NETWORK_CREDENTIALS = {
  farcaster: {
    apiKey: 'sandbox-neynar-api-key',
    signerUuid: '00000000-0000-4000-8000-00000000a11c',
    webhookSecrets: ['sandbox-neynar-webhook-secret'],
    botFid: BOT.fid,
    botUsername: BOT.username,
  },
  twitter: {
    appKey: 'sandbox-x-app-key',
    appSecret: 'sandbox-x-app-secret',
    accessToken: 'sandbox-x-access-token',
    accessSecret: 'sandbox-x-access-secret',
    botUserId: BOT.xUserId,
    botUsername: BOT.username,
  },
} as const;

/** Whose wallet gets back what the sandbox's gigs do not award: another of anvil's development accounts, without tokens at first. */
export const FUNDER = { name: 'funder', address: '0x976EA74026E726554dB657fA54763abd0C3a0aa9' } as const;

/** The platform's fee in the sandbox, in basis points of a reward. */
export const FEE_BPS = 500n;

/** Where the sandbox's platform fees go: another of anvil's development accounts. */
export const TREASURY = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';

/** The mnemonic that anvil ships with: public, and worthless elsewhere. */
export const MNEMONIC = 'test test test test test test test test test test test junk';
