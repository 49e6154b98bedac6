import { isPostgres } from '../src/domain/settings/database-url.ts';
import { FEE_BPS, MNEMONIC, NETWORK_CREDENTIALS, TREASURY } from './people.ts';
import { VERIFIER_SIGNING_KEY } from './verifier.ts';

/** Everybody signs in, creates gigs and taps cards, as often as the buttons are pressed. */
function signInEnvironment({ relay, registries }: { relay: string; registries: string }): Record<string, string> {
  return {
    SIGN_IN: 'farcaster,wallet',
    FARCASTER_RELAY_URL: relay,
    RPC_URL_10: registries,
    // Cards ask the same registries for the keys that sign taps.
    SNAPS: 'true',
    OWNER_CREATE: 'anybody',
    OWNER_OPEN_GIGS: '1000',
  };
}

/**
 * The environment of a service among the local networks: what an operator would set.
 * @param places where the parts listen; without a verifier all bounties are decided by hand, and without a relay and the
 *   registries of Farcaster nobody signs in
 * @param database the path of a file, or the URL of a database on PostgreSQL
 */
export function serviceEnvironment(
  places: {
    service: string;
    farcaster: string;
    x: string;
    chain: string;
    verifier?: string;
    signIn?: { relay: string; registries: string };
  },
  database: string,
): Record<string, string> {
  const { farcaster, twitter } = NETWORK_CREDENTIALS;
  return {
    HOST: '127.0.0.1',
    PORT: new URL(places.service).port,
    PUBLIC_URL: places.service,
    DATABASE_URL: isPostgres(database) ? database : `file:${database}`,
    CHAINS: 'anvil',
    RPC_URL_31337: places.chain,
    GIG_WALLET_MNEMONIC: MNEMONIC,
    NEYNAR_API_KEY: farcaster.apiKey,
    NEYNAR_SIGNER_UUID: farcaster.signerUuid,
    NEYNAR_WEBHOOK_SECRETS: farcaster.webhookSecrets.join(','),
    NEYNAR_BASE_URL: places.farcaster,
    FARCASTER_BOT_FID: String(farcaster.botFid),
    FARCASTER_BOT_USERNAME: farcaster.botUsername,
    X_APP_KEY: twitter.appKey,
    X_APP_SECRET: twitter.appSecret,
    X_ACCESS_TOKEN: twitter.accessToken,
    X_ACCESS_SECRET: twitter.accessSecret,
    X_BASE_URL: places.x,
    X_BOT_USER_ID: twitter.botUserId,
    X_BOT_USERNAME: twitter.botUsername,
    PLATFORM_FEE_BPS: String(FEE_BPS),
    TREASURY_ADDRESS: TREASURY,
    ALLOW_X_EARNING: 'true',
    // The local X has no limit.
    X_REPLY_BUDGET: 'none',
    // The programs that take events run here, too.
    WEBHOOK_ALLOW_PRIVATE: 'true',
    // Few people try everything here, and each posts more than ten times an hour.
    REPLIES_PER_AUTHOR_HOUR: '1000000',
    MENTION_POLL_SECONDS: '20',
    EARNING_LOOK_SECONDS: '5',
    ...(places.verifier === undefined ? {} : { VERIFIER_ORIGINS: places.verifier, VERIFIER_SIGNING_KEY }),
    ...(places.signIn === undefined ? {} : signInEnvironment(places.signIn)),
    // The sandbox's page asks as often as several people do, from one address.
    RATE_LIMIT_PER_MINUTE: '600',
    CLAIM_RATE_LIMIT_PER_MINUTE: '600',
    CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: '600',
  };
}

/**
 * What turns notifications on: the local Farcaster takes them, and shows them to everybody. Nothing reads the manifest,
 * which therefore needs no account that owns a domain.
 */
export function notificationEnvironment({ farcaster }: { farcaster: string }): Record<string, string> {
  return {
    NOTIFICATIONS: 'true',
    NOTIFICATIONS_WEBHOOK_URL: `${farcaster}/f/app/sandbox/event`,
    FARCASTER_MANIFEST_HEADER: 'c2FuZGJveA',
    FARCASTER_MANIFEST_PAYLOAD: 'c2FuZGJveA',
    FARCASTER_MANIFEST_SIGNATURE: 'c2FuZGJveA',
  };
}
