import { validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { isAddress } from 'viem/utils';
import { z } from 'zod';
import type { Platform } from './domain/account.ts';
import { CHAINS, type Chain, type ChainEndpoints, chainByKey } from './domain/chains/chain.ts';
import { isSigningKey, type VerifierConfig } from './domain/earning/payouts/verifier.ts';
import { isExposed } from './domain/fields.ts';
import type { Address } from './domain/gigs/token.ts';
import { readAlertUrl } from './domain/operators/alert.ts';
import { OWNER_CREATORS, type OwnerCreators } from './domain/owners/owner-gigs.ts';
import { isSignable, readSignInWay, type SignInWay } from './domain/owners/sign-in.ts';
import { type AccountAssociation, ASSOCIATION_SETTINGS, associationOf } from './domain/settings/account-association.ts';
import { BRAND_SETTINGS, type Brand, brandOf } from './domain/settings/brand.ts';
import { DATABASE_SETTINGS, type DatabaseConfig, databaseOf } from './domain/settings/database.ts';
import { passwordsOf } from './domain/settings/database-url.ts';
import { LIMIT_SETTINGS, type Limits, limitsOf } from './domain/settings/limits.ts';
import { NOTIFICATION_SETTINGS, notificationsOf, notificationsProblem } from './domain/settings/notifications.ts';
import { originList, rpcUrls } from './domain/settings/places.ts';
import { PRICE_SETTINGS, type PriceSettings, pricesOf } from './domain/settings/prices.ts';
import { oraclesOf, type ScreeningOracles, screeningOracles } from './domain/settings/screening.ts';
import { findIdleSettings } from './domain/settings/setting-names.ts';
import {
  settingChoice,
  settingList,
  settingNumber,
  settingText,
  settingUrl,
} from './domain/settings/setting-values.ts';
import { SNAP_SETTINGS, snapsProblem } from './domain/settings/snaps.ts';
import { PROXY_SETTINGS, proxiesOf, proxiesProblem, type TrustedProxies } from './domain/settings/trusted-proxies.ts';
import { X402_SETTINGS, type X402Setting, x402Of } from './domain/x402/x402-settings.ts';
import type { ConfiguredPlatform, PlatformDefinition } from './platforms/define-platform.ts';
import { PLATFORM_DEFINITIONS } from './platforms/index.ts';

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface Config extends DatabaseConfig, Limits, PriceSettings, X402Setting {
  readonly host: string;
  readonly port: number;
  /** Where `/metrics`, `/ready` and `/admin` are served, on the same host; null: on `port`, with all other paths. */
  readonly adminPort: number | null;
  /** The most connections at once on `port`. */
  readonly maxConnections: number;
  /** The URL at which clients reach this server, no trailing slash; localhost with `port` unless it is set. */
  readonly publicUrl: string;
  readonly logLevel: LogLevel;
  /** The enabled chains with the URLs of their endpoints. Secret. */
  readonly chains: readonly ChainEndpoints[];
  /** Whom to ask on each enabled chain whether a recipient is sanctioned; empty: nobody. */
  readonly screeningOracles: ScreeningOracles;
  /** BIP-39 words that all gig wallets derive from, or null. Secret. */
  readonly gigWalletMnemonic: string | null;
  /** Platform fee in basis points of the reward. */
  readonly platformFeeBps: number;
  /** How people may sign in to the console; empty: there is none. */
  readonly signIn: readonly SignInWay[];
  readonly ownerCreate: OwnerCreators;
  /** How many gigs of one owner, made in the console, are created or live at the same time. */
  readonly ownerOpenGigs: number;
  readonly refundDelayHours: number;
  /** The address that receives the platform fee, in lower case, or null. */
  readonly treasuryAddress: Address | null;
  /** The platforms that are on, in their order. Secret. */
  readonly platforms: readonly ConfiguredPlatform[];
  /** Whose `X-Forwarded-For` names the client's address. */
  readonly trustedProxies: TrustedProxies;
  /** Whether gigs may be about posts on X, whose rules forbid paying for posts. */
  readonly earningOnX: boolean;
  /** Seconds between two polls for missed mentions; 0 turns them off. */
  readonly mentionPollSeconds: number;
  /** Seconds between two looks at what accounts do for a watched gig; 0: no gig is watched. */
  readonly earningLookSeconds: number;
  /** Whether webhooks are to report acts towards watched gigs at once. */
  readonly earningWebhook: boolean;
  readonly spamLabelsFile: string | null;
  /** Which verifiers of bounties are asked, and the key that signs the questions. Null: none. */
  readonly verifiers: VerifierConfig | null;
  /** Base64 of the PKCS #8 DER of the Ed25519 key from which the secrets of endpoints derive, or null. Secret. */
  readonly signingKey: string | null;
  /** Whether endpoints may be http, and at addresses that are not public. */
  readonly webhookAllowPrivate: boolean;
  /** The origins, besides that of `publicUrl`, whose pages may use `/mcp`. */
  readonly mcpOrigins: readonly string[];
  /** The relay of Sign In With Farcaster, no trailing slash. */
  readonly farcasterRelayUrl: string;
  /** The endpoints of Ethereum by which names are resolved, also where it is not enabled; empty: no names. Secret. */
  readonly nameRpcUrls: readonly string[];
  /** The endpoints of chain 10, on which Farcaster's registries are, also where it is not enabled. Secret. */
  readonly farcasterRpcUrls: readonly string[];
  readonly brand: Brand;
  /** The path of the operator's picture, or null. */
  readonly logoFile: string | null;
  /** The URLs that take alerts. Secret. */
  readonly alertWebhooks: readonly string[];
  /** The account association of the mini app's manifest; null unless all three of its variables are set. */
  readonly accountAssociation: AccountAssociation | null;
  /** Neynar's URL for the manifest; null where no notifications are sent. */
  readonly notifications: string | null;
  /** Whether gigs are cards in casts on Farcaster, on which people claim by a tap. */
  readonly snaps: boolean;
}

/** All problems of an environment, each with the variable's name and never its value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is not valid:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
    this.problems = problems;
  }
}

type Env = Readonly<Record<string, string | undefined>>;

const signingKeyText = settingText.refine(
  isSigningKey,
  'must be an Ed25519 private key, base64 of its PKCS #8 DER: openssl genpkey -algorithm ed25519 -outform DER | base64',
);

const GENERAL = {
  HOST: settingText.default('0.0.0.0'),
  PORT: settingNumber({ min: 0, max: 65_535 }).default(3000),
  ADMIN_PORT: settingNumber({ min: 0, max: 65_535 }).nullable().default(null),
  MAX_CONNECTIONS: settingNumber({ min: 10, max: 1_000_000 }).default(2_000),
  PUBLIC_URL: settingUrl.nullable().default(null),
  ...DATABASE_SETTINGS,
  LOG_LEVEL: settingChoice(LOG_LEVELS).default('info'),
  GIG_WALLET_MNEMONIC: settingText
    .refine((words) => validateMnemonic(words, wordlist), 'must be a valid BIP-39 mnemonic of English words')
    .nullable()
    .default(null),
  ...PRICE_SETTINGS,
  SCREENING_ORACLE: screeningOracles.default([]),
  PLATFORM_FEE_BPS: settingNumber({ min: 0, max: 10_000 }).default(500),
  REFUND_DELAY_HOURS: settingNumber({ min: 0, max: 8_760 }).default(72),
  SIGN_IN: settingList(readSignInWay, 'must be farcaster, wallet or both, comma-separated').default([]),
  OWNER_CREATE: settingChoice(OWNER_CREATORS).default('nobody'),
  OWNER_OPEN_GIGS: settingNumber({ min: 1, max: 1_000_000 }).default(3),
  ...X402_SETTINGS,
  TREASURY_ADDRESS: settingText
    .refine(
      (value) => isAddress(value),
      'must be an Ethereum address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum',
    )
    .transform((value): Address => `0x${value.slice(2).toLowerCase()}`)
    .nullable()
    .default(null),
  ...PROXY_SETTINGS,
  ALLOW_X_EARNING: settingChoice(['true', 'false']).default('false'),
  ...LIMIT_SETTINGS,
  MENTION_POLL_SECONDS: settingNumber({ min: 0, max: 86_400 }).default(300),
  EARNING_LOOK_SECONDS: settingNumber({ min: 0, max: 86_400 }).default(600),
  EARNING_WEBHOOK: settingChoice(['true', 'false']).default('true'),
  SPAM_LABELS_FILE: settingText.nullable().default(null),
  SIGNING_KEY: signingKeyText.nullable().default(null),
  ...ASSOCIATION_SETTINGS,
  ...NOTIFICATION_SETTINGS,
  ...SNAP_SETTINGS,
  ...BRAND_SETTINGS,
  SITE_LOGO: settingText.nullable().default(null),
  WEBHOOK_ALLOW_PRIVATE: settingChoice(['true', 'false']).default('false'),
  MCP_ORIGINS: originList.default([]),
  FARCASTER_RELAY_URL: settingUrl.default('https://relay.farcaster.xyz'),
  ALERT_WEBHOOK_URL: settingList(
    readAlertUrl,
    'must be https URLs, comma-separated; http is for this machine only',
  ).default([]),
};

const VERIFIERS = {
  VERIFIER_ORIGINS: originList,
  VERIFIER_SIGNING_KEY: signingKeyText,
};

/** The variables of a platform: all must be set, or none. */
export function variablesOf(platform: Platform): readonly string[] {
  const needed = PLATFORM_DEFINITIONS.find(({ facts }) => facts.id === platform)?.needed ?? {};
  return Object.keys(needed);
}

/** All variables of the service except `RPC_URL_<chain id>` of each chain. */
export const VARIABLES: readonly string[] = [
  ...Object.keys(GENERAL),
  'CHAINS',
  ...PLATFORM_DEFINITIONS.flatMap(({ needed }) => Object.keys(needed)),
  ...PLATFORM_DEFINITIONS.flatMap(({ extra }) => Object.keys(extra)),
  ...Object.keys(VERIFIERS),
];

/** Treats an empty variable as unset, as `.env` and compose files need; blanks around a value do not count. */
function present(env: Env, name: string): string | undefined {
  return env[name]?.trim() || undefined;
}

function pick(env: Env, names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, present(env, name)]));
}

type Output<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

function read<Shape extends z.ZodRawShape>(env: Env, shape: Shape, problems: string[]): Output<Shape> | null {
  const result = z.object(shape).safeParse(pick(env, Object.keys(shape)));
  if (result.success) return result.data;
  problems.push(...result.error.issues.map((issue) => `${String(issue.path[0])} ${issue.message}`));
  return null;
}

function readTogether<Shape extends z.ZodRawShape>(
  env: Env,
  { name, shape }: { name: string; shape: Shape },
  problems: string[],
): Output<Shape> | null {
  const names = Object.keys(shape);
  const missing = names.filter((name) => present(env, name) === undefined);
  if (missing.length === names.length) return null;
  if (missing.length > 0) {
    read(env, Object.fromEntries(Object.entries(shape).filter(([name]) => !missing.includes(name))), problems);
    problems.push(
      `${name} is only half configured: also set ${missing.join(', ')}, or unset all of its variables to turn it off`,
    );
    return null;
  }
  return read(env, shape, problems);
}

function enabledChains(env: Env): string[] {
  const keys = (present(env, 'CHAINS') ?? 'base').split(',').map((key) => key.trim());
  return [...new Set(keys.filter((key) => key !== ''))];
}

/** A sentence for each variable that has no effect, although its name looks like a setting's; never with a value. */
export function settingWarnings(env: Env): string[] {
  const names = Object.keys(env).filter((name) => present(env, name) !== undefined);
  return findIdleSettings(names.toSorted(), {
    known: VARIABLES,
    prefixes: PLATFORM_DEFINITIONS.flatMap(({ prefixes }) => prefixes),
    enabled: [...enabledChains(env), NAME_CHAIN.key, ...(asksFarcaster(env) ? [REGISTRY_CHAIN.key] : [])],
  });
}

/** The chain of Farcaster's registries. */
const REGISTRY_CHAIN = requireChain('optimism');
/** The chain of names. Its public endpoint is not asked: names are on where the operator has chosen one. */
export const NAME_CHAIN = requireChain('ethereum');

function requireChain(key: string): Chain {
  const chain = chainByKey(key);
  if (chain === undefined) throw new TypeError(`there is no chain ${key}`);
  return chain;
}

function asksFarcaster(env: Env): boolean {
  const ways = (present(env, 'SIGN_IN') ?? '').split(',');
  return present(env, 'SNAPS') === 'true' || ways.map((way) => way.trim()).includes('farcaster');
}

const hasEndpoint = (env: Env, { id }: Chain): boolean => present(env, `RPC_URL_${id}`) !== undefined;

function readEndpoints(env: Env, chain: Chain, problems: string[]): readonly [string, ...string[]] {
  const name = `RPC_URL_${chain.id}`;
  const [first = chain.publicRpcUrl, ...others] = read(env, { [name]: rpcUrls.default([]) }, problems)?.[name] ?? [];
  return Object.freeze([first, ...others] as const);
}

function readChains(env: Env, problems: string[]): Config['chains'] {
  if (read(env, { CHAINS: settingText.optional() }, problems) === null) return [];
  const keys = enabledChains(env);
  const known = CHAINS.map((chain) => chain.key).join(', ');
  if (keys.length === 0) problems.push(`CHAINS must name at least one chain of ${known}`);
  return keys.flatMap((key) => {
    const chain = chainByKey(key);
    if (chain === undefined) {
      problems.push(`CHAINS names an unknown chain; known are ${known}`);
      return [];
    }
    return [{ chain, rpcUrls: readEndpoints(env, chain, problems) }];
  });
}

/** One key signs both questions to verifiers and events, so either variable may give it. */
function readSigningKeys(env: Env, problems: string[]): { readonly env: Env; readonly signingKey: string | null } {
  const [own, verifiers] = [present(env, 'SIGNING_KEY'), present(env, 'VERIFIER_SIGNING_KEY')];
  if (own !== undefined && verifiers !== undefined && own !== verifiers) {
    problems.push('SIGNING_KEY and VERIFIER_SIGNING_KEY must be the same key: unset VERIFIER_SIGNING_KEY');
  }
  const signingKey = own ?? verifiers ?? null;
  const asks = present(env, 'VERIFIER_ORIGINS') !== undefined && signingKey !== null;
  return { env: asks ? { ...env, VERIFIER_SIGNING_KEY: signingKey } : env, signingKey };
}

function verifierOf(read: Output<typeof VERIFIERS> | null): Config['verifiers'] {
  return (
    read && Object.freeze({ origins: Object.freeze(read.VERIFIER_ORIGINS), signingKey: read.VERIFIER_SIGNING_KEY })
  );
}

/** What variables that are right by themselves contradict. */
function contradictions(env: Env, general: Output<typeof GENERAL> | null, on: readonly PlatformDefinition[]): string[] {
  const sends = on.some(({ facts }) => facts.sendsNotifications);
  const around = { hasFarcaster: sends, hasEndpoint: hasEndpoint(env, REGISTRY_CHAIN) };
  const first =
    general === null
      ? []
      : [proxiesProblem(general), notificationsProblem(general, sends), snapsProblem(general, around)];
  const found = first.filter((problem) => problem !== null);
  // Read separately, because a fault of another variable leaves no `general`; their own faults are reported already.
  const ports = read(env, { PORT: GENERAL.PORT, ADMIN_PORT: GENERAL.ADMIN_PORT }, []);
  if (ports !== null && ports.PORT !== 0 && ports.ADMIN_PORT === ports.PORT)
    found.push('ADMIN_PORT must be another port than PORT');
  if (general?.WEBHOOK_ALLOW_PRIVATE === 'true' && isExposed(general.PUBLIC_URL)) {
    found.push('WEBHOOK_ALLOW_PRIVATE must not be true where PUBLIC_URL is https: clients could reach your network');
  }
  if (general?.SIGN_IN.includes('wallet') && general.PUBLIC_URL !== null && !isSignable(general.PUBLIC_URL)) {
    found.push('PUBLIC_URL must have a domain name, localhost or an IPv4 address where SIGN_IN has wallet');
  }
  return found;
}

/**
 * Reads the environment into a frozen Config.
 * @throws ConfigError listing every problem by the variable's name, never with a value
 */
export function loadConfig(env: Env): Config {
  const problems: string[] = [];
  const general = read(env, GENERAL, problems);
  const chains = readChains(env, problems);
  const farcasterRpcUrls = asksFarcaster(env) ? readEndpoints(env, REGISTRY_CHAIN, problems) : [];
  const nameRpcUrls = hasEndpoint(env, NAME_CHAIN) ? readEndpoints(env, NAME_CHAIN, problems) : [];
  const on = PLATFORM_DEFINITIONS.filter(
    ({ facts, needed }) => readTogether(env, { name: facts.label, shape: needed }, problems) !== null,
  );
  const signing = readSigningKeys(env, problems);
  const verifiers = readTogether(signing.env, { name: 'The verifier of bounties', shape: VERIFIERS }, problems);
  for (const { extra } of PLATFORM_DEFINITIONS) read(env, extra, problems);
  const screening = oraclesOf(
    general?.SCREENING_ORACLE ?? [],
    chains.map(({ chain }) => chain),
  );
  problems.push(...contradictions(env, general, on), ...screening.problems);
  if (problems.length > 0 || general === null) throw new ConfigError([...new Set(problems)]);
  return Object.freeze({
    host: general.HOST,
    port: general.PORT,
    adminPort: general.ADMIN_PORT,
    maxConnections: general.MAX_CONNECTIONS,
    publicUrl: general.PUBLIC_URL ?? `http://localhost:${general.PORT}`,
    ...databaseOf(general),
    logLevel: general.LOG_LEVEL,
    chains: Object.freeze(chains.map((endpoint) => Object.freeze(endpoint))),
    ...pricesOf(general),
    screeningOracles: screening.oracles,
    gigWalletMnemonic: general.GIG_WALLET_MNEMONIC,
    platformFeeBps: general.PLATFORM_FEE_BPS,
    refundDelayHours: general.REFUND_DELAY_HOURS,
    ...limitsOf(general),
    signIn: Object.freeze([...new Set(general.SIGN_IN)]),
    ownerCreate: general.OWNER_CREATE,
    ownerOpenGigs: general.OWNER_OPEN_GIGS,
    ...x402Of(general),
    treasuryAddress: general.TREASURY_ADDRESS,
    platforms: Object.freeze(on.map(({ configure }) => configure(pick(env, VARIABLES)))),
    trustedProxies: proxiesOf(general),
    earningOnX: general.ALLOW_X_EARNING === 'true',
    mentionPollSeconds: general.MENTION_POLL_SECONDS,
    earningLookSeconds: general.EARNING_LOOK_SECONDS,
    earningWebhook: general.EARNING_WEBHOOK === 'true',
    spamLabelsFile: general.SPAM_LABELS_FILE,
    verifiers: verifierOf(verifiers),
    signingKey: signing.signingKey,
    webhookAllowPrivate: general.WEBHOOK_ALLOW_PRIVATE === 'true',
    mcpOrigins: Object.freeze(general.MCP_ORIGINS),
    farcasterRelayUrl: general.FARCASTER_RELAY_URL,
    farcasterRpcUrls,
    nameRpcUrls,
    brand: brandOf(general),
    logoFile: general.SITE_LOGO,
    alertWebhooks: Object.freeze([...new Set(general.ALERT_WEBHOOK_URL)]),
    accountAssociation: associationOf(general),
    notifications: notificationsOf(general),
    snaps: general.SNAPS === 'true',
  });
}

/** Every secret of a configuration; the log redacts them. */
export function secretsOf(config: Config): string[] {
  return [
    config.gigWalletMnemonic,
    ...passwordsOf(config.databaseUrl),
    ...config.chains.flatMap(({ chain, rpcUrls }) => rpcUrls.filter((url) => url !== chain.publicRpcUrl)),
    ...config.farcasterRpcUrls.filter((url) => url !== REGISTRY_CHAIN.publicRpcUrl),
    ...config.nameRpcUrls,
    ...config.platforms.flatMap(({ secrets }) => secrets),
    config.signingKey,
    ...config.alertWebhooks,
  ].filter((secret) => secret !== null);
}
