import { describe, expect, test } from 'vitest';
import { type Config, ConfigError, loadConfig, secretsOf } from '../../src/config.ts';
import { OFF, problemsOf } from '../support/config.ts';

/** The words every development node is started with. */
const WORDS = 'test test test test test test test test test test test junk';

const FARCASTER = {
  NEYNAR_API_KEY: 'fake-api-key',
  NEYNAR_SIGNER_UUID: 'fake-signer',
  NEYNAR_WEBHOOK_SECRETS: 'fake-secret-1, fake-secret-2,',
  FARCASTER_BOT_FID: '4242',
  FARCASTER_BOT_USERNAME: '@gigclaim.eth',
};

const X = {
  X_APP_KEY: 'fake-app-key',
  X_APP_SECRET: 'fake-app-secret',
  X_ACCESS_TOKEN: 'fake-access-token',
  X_ACCESS_SECRET: 'fake-access-secret',
  X_BOT_USER_ID: '1111111111111111111',
  X_BOT_USERNAME: 'gigclaim',
};

describe('defaults', () => {
  const DEFAULTS: Omit<Config, 'chains'> = {
    host: '0.0.0.0',
    port: 3000,
    adminPort: null,
    maxConnections: 2000,
    publicUrl: 'http://localhost:3000',
    databaseUrl: './data/gigclaim.db',
    databasePool: 10,
    postgresDurable: 'server',
    logLevel: 'info',
    gigWalletMnemonic: null,
    screeningOracles: new Map(),
    prices: null,
    coingeckoUrl: 'https://api.coingecko.com/api/v3',
    platformFeeBps: 500,
    treasuryAddress: null,
    clientGasPerDay: 20_000_000n,
    platforms: [],
    rateLimitPerMinute: 100,
    claimLimits: { client: 10, inAll: 30 },
    trustedProxies: 0,
    earningOnX: false,
    replyLimits: { perAuthor: 10, perThread: 5 },
    mentionPollSeconds: 300,
    x402: { isOn: false, facilitatorUrl: null, gasPerDay: 20_000_000n },
    refundDelayHours: 72,
    earningLookSeconds: 600,
    earningWebhook: true,
    spamLabelsFile: null,
    verifiers: null,
    signingKey: null,
    accountAssociation: null,
    notifications: null,
    nameRpcUrls: [],
    webhookAllowPrivate: false,
    mcpOrigins: [],
    ...OFF,
  };

  test('behavior: an empty environment is usable', () => {
    const { chains, ...rest } = loadConfig({});
    expect(rest).toEqual(DEFAULTS);
    expect(chains.map(({ chain, rpcUrls }) => [chain.key, rpcUrls])).toEqual([['base', ['https://mainnet.base.org']]]);
  });

  test('behavior: an empty variable is an unset one, for every variable', () => {
    const names = [...Object.keys(FARCASTER), ...Object.keys(X), 'PORT', 'CHAINS', 'RPC_URL_8453', 'TREASURY_ADDRESS'];
    const empty = Object.fromEntries(names.map((name, index) => [name, index % 2 === 0 ? '' : '  ']));
    expect(loadConfig(empty)).toEqual(loadConfig({}));
  });

  test('behavior: without PUBLIC_URL others reach it at PORT of this machine', () => {
    expect(loadConfig({ PORT: '8080' }).publicUrl).toBe('http://localhost:8080');
    expect(loadConfig({ PORT: '8080', PUBLIC_URL: 'https://claims.example' }).publicUrl).toBe('https://claims.example');
  });

  test('behavior: variables of other programs are ignored', () => {
    expect(loadConfig({ PATH: '/bin', RPC_URL_999: 'nonsense' })).toEqual(loadConfig({}));
  });
});

describe('general settings', () => {
  const TREASURY = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

  test.each<[name: string, value: string, read: Partial<Config>]>([
    ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
    ['PORT', '8080', { port: 8080 }],
    ['PUBLIC_URL', 'https://claims.example/base//', { publicUrl: 'https://claims.example/base' }],
    ['LOG_LEVEL', 'debug', { logLevel: 'debug' }],
    ['GIG_WALLET_MNEMONIC', WORDS, { gigWalletMnemonic: WORDS }],
    ['PLATFORM_FEE_BPS', '0', { platformFeeBps: 0 }],
    ['TREASURY_ADDRESS', TREASURY, { treasuryAddress: '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' }],
    ['RATE_LIMIT_PER_MINUTE', '5', { rateLimitPerMinute: 5 }],
    ['CLAIM_RATE_LIMIT_PER_MINUTE', '6', { claimLimits: { client: 6, inAll: 30 } }],
    ['CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL', '7', { claimLimits: { client: 10, inAll: 7 } }],
    ['TRUST_PROXY', 'true', { trustedProxies: 1 }],
    ['TRUSTED_PROXIES', '2', { trustedProxies: 2 }],
    ['REPLIES_PER_AUTHOR_HOUR', '3', { replyLimits: { perAuthor: 3, perThread: 5 } }],
    ['REPLIES_PER_THREAD_HOUR', '1', { replyLimits: { perAuthor: 10, perThread: 1 } }],
    ['MENTION_POLL_SECONDS', '0', { mentionPollSeconds: 0 }],
  ])('behavior: %s is read', (name, value, read) => {
    expect(loadConfig({ [name]: value })).toMatchObject(read);
  });

  test.each([
    ['file:./x.db', './x.db'],
    ['file:x.db', 'x.db'],
    ['file:/abs/x.db', '/abs/x.db'],
    ['file:///abs/x.db', '/abs/x.db'],
    ['./x.db', './x.db'],
    ['/abs/x.db', '/abs/x.db'],
    ['data/x.db', 'data/x.db'],
    ['postgres://db.example/x', 'postgres://db.example/x'],
    ['postgresql://u:p@db.example:6432/x?sslmode=require', 'postgresql://u:p@db.example:6432/x?sslmode=require'],
  ])('behavior: DATABASE_URL %s is the database %s', (url, path) => {
    expect(loadConfig({ DATABASE_URL: url }).databaseUrl).toBe(path);
  });

  test.each([
    'postgres://db.example',
    'postgresql://x',
    'postgres:gigs',
    'mysql://x',
    'http://x',
    'libsql:x',
    'file:',
    'file://',
    'file://host/x.db',
  ])('error: DATABASE_URL %s is refused', (url) => {
    expect(problemsOf({ DATABASE_URL: url })).toEqual([expect.stringMatching(/^DATABASE_URL must .*file:<path>/)]);
  });

  test.each([
    ['PORT', ['-1', '65536', '3000.5', '1e3', 'http', '9'.repeat(400)]],
    ['PUBLIC_URL', ['localhost:3000', 'ftp://x', '/x', 'nonsense']],
    ['LOG_LEVEL', ['loud', 'INFO']],
    ['PLATFORM_FEE_BPS', ['-1', '10001', '5%', '0.5']],
    ['TREASURY_ADDRESS', ['0x12', 'vitalik.eth', TREASURY.replace('A', 'a'), TREASURY.slice(2).toLowerCase()]],
    ['RATE_LIMIT_PER_MINUTE', ['0', '-5', 'none']],
    ['CLAIM_RATE_LIMIT_PER_MINUTE', ['0', '-5', 'none']],
    ['CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL', ['0', '1.5', 'none']],
    ['TRUST_PROXY', ['yes', '1', 'TRUE']],
    ['REPLIES_PER_AUTHOR_HOUR', ['0', '-1', 'many', '1000001']],
    ['REPLIES_PER_THREAD_HOUR', ['0', '2.5', '1e3']],
    ['MENTION_POLL_SECONDS', ['-1', '86401', '5m']],
  ])('error: a wrong %s is refused by name', (name, values) => {
    for (const value of values) {
      expect(problemsOf({ [name]: value })).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
    }
  });

  test.each([
    ['a wrong checksum', 'test test test test test test test test test test test test'],
    ['an unknown word', 'test test test test test test test test test test test gigclaim'],
    ['a word too few', 'test test test test test test test test test test junk'],
  ])('security: a mnemonic with %s is refused without showing a word', (_, words) => {
    const problems = problemsOf({ GIG_WALLET_MNEMONIC: words });
    expect(problems).toEqual(['GIG_WALLET_MNEMONIC must be a valid BIP-39 mnemonic of English words']);
    expect(problems.join()).not.toMatch(/test|junk/);
  });
});

describe('chains', () => {
  test('behavior: several are read, each with its endpoint or the public one', () => {
    const { chains } = loadConfig({
      CHAINS: ' base, optimism ,base,anvil,',
      RPC_URL_10: 'https://rpc.example/fake-key/',
      RPC_URL_137: 'https://not-enabled.example',
    });
    expect(chains.map(({ chain, rpcUrls }) => [chain.id, rpcUrls])).toEqual([
      [8453, ['https://mainnet.base.org']],
      [10, ['https://rpc.example/fake-key']],
      [31337, ['http://127.0.0.1:8545']],
    ]);
  });

  test('error: an unknown chain, none at all, and an endpoint that is no URL are refused', () => {
    const known = 'base, base-sepolia, optimism, arbitrum, polygon, ethereum, anvil';
    expect(problemsOf({ CHAINS: 'base,solana' })).toEqual([`CHAINS names an unknown chain; known are ${known}`]);
    expect(problemsOf({ CHAINS: ' , ' })).toEqual([`CHAINS must name at least one chain of ${known}`]);
    expect(problemsOf({ RPC_URL_8453: 'wss://rpc.example/fake-key' })).toEqual([
      'RPC_URL_8453 must be http or https URLs, comma-separated; a comma within a URL is written %2C',
    ]);
  });
});

/** The settings of the platforms that are on, by their ids. */
function settingsOf({ platforms }: Config) {
  return Object.fromEntries(platforms.map(({ id, settings }) => [id, settings]));
}

describe('platforms', () => {
  test('behavior: Farcaster is on with all of its variables', () => {
    const config = loadConfig({ ...FARCASTER, NEYNAR_BASE_URL: 'http://127.0.0.1:4000/' });
    expect(settingsOf(config)).toEqual({
      farcaster: {
        apiKey: 'fake-api-key',
        signerUuid: 'fake-signer',
        webhookSecrets: ['fake-secret-1', 'fake-secret-2'],
        botFid: 4242,
        botUsername: 'gigclaim.eth',
        baseUrl: 'http://127.0.0.1:4000',
      },
    });
  });

  test('behavior: X is on with all of its variables', () => {
    const config = loadConfig(X);
    expect(settingsOf(config)).toEqual({
      twitter: {
        appKey: 'fake-app-key',
        appSecret: 'fake-app-secret',
        accessToken: 'fake-access-token',
        accessSecret: 'fake-access-secret',
        botUserId: '1111111111111111111',
        botUsername: 'gigclaim',
        replyBudget: [
          { limit: 100, windowMs: 900_000 },
          { limit: 300, windowMs: 10_800_000 },
        ],
        baseUrl: undefined,
      },
    });
  });

  test('behavior: another address of a platform does not turn it on', () => {
    const config = loadConfig({ NEYNAR_BASE_URL: 'http://127.0.0.1:4000', X_BASE_URL: 'http://127.0.0.1:4001' });
    expect(config.platforms).toEqual([]);
  });

  const halfConfigured = (platform: string, missing: string) =>
    `${platform} is only half configured: also set ${missing}, or unset all of its variables to turn it off`;

  test.each([
    ...Object.keys(FARCASTER).map((name) => ['Farcaster', name, { ...FARCASTER, [name]: '' }] as const),
    ...Object.keys(X).map((name) => ['X', name, { ...X, [name]: undefined }] as const),
  ])('error: %s without %s refuses to start and names it', (platform, name, env) => {
    expect(problemsOf(env)).toEqual([halfConfigured(platform, name)]);
  });

  test('error: a half-configured platform names everything that is missing', () => {
    const missing = 'X_APP_SECRET, X_ACCESS_TOKEN, X_ACCESS_SECRET, X_BOT_USER_ID';
    expect(problemsOf({ X_APP_KEY: 'fake', X_BOT_USERNAME: 'gigclaim' })).toEqual([halfConfigured('X', missing)]);
  });

  test('behavior: the replies that X takes are an operator’s to say', () => {
    const set = (value: string) => settingsOf(loadConfig({ ...X, X_REPLY_BUDGET: value }))['twitter'];
    const replyBudget = [
      { limit: 5, windowMs: 60_000 },
      { limit: 20, windowMs: 7_200_000 },
    ];
    expect(set('5/1m , 20/2h')).toMatchObject({ replyBudget });
    expect(set('none')).toMatchObject({ replyBudget: [] });
  });

  test.each(['0/15m', '100', '100/15', '100/0m', '100/15m,', '100/15s', '-1/15m', 'many'])(
    'error: a budget of replies that says “%s” is refused',
    (value) => {
      expect(problemsOf({ ...X, X_REPLY_BUDGET: value })).toEqual([
        'X_REPLY_BUDGET must be like 100/15m,300/3h, in minutes and hours, or none',
      ]);
    },
  );

  test.each<[change: Record<string, string>, problem: RegExp]>([
    [{ FARCASTER_BOT_FID: '0x12' }, /^FARCASTER_BOT_FID must be/],
    [
      { FARCASTER_BOT_FID: '9007199254740993' },
      /^FARCASTER_BOT_FID must be a whole number from 1 to 9007199254740991$/,
    ],
    [{ FARCASTER_BOT_USERNAME: 'gig claim' }, /^FARCASTER_BOT_USERNAME must be/],
    [{ NEYNAR_WEBHOOK_SECRETS: ' , ' }, /^NEYNAR_WEBHOOK_SECRETS must hold at least one secret$/],
    [{ X_BOT_USER_ID: 'gigclaim' }, /^X_BOT_USER_ID must be/],
  ])('error: the wrong id, name or secret %j is refused', (change, problem) => {
    expect(problemsOf({ ...FARCASTER, ...X, ...change })).toEqual([expect.stringMatching(problem)]);
  });
});

describe('the whole', () => {
  const BROKEN = {
    PORT: 'private-port',
    DATABASE_URL: 'postgres://private-user:private-password@db.example',
    GIG_WALLET_MNEMONIC: 'private words that are none',
    CHAINS: 'base,private-chain',
    RPC_URL_8453: 'private-endpoint',
    NEYNAR_API_KEY: 'private-key',
    FARCASTER_BOT_FID: 'private-fid',
    ...X,
    X_BOT_USER_ID: 'private-id',
    X_BASE_URL: 'private-address',
  };

  test('error: every problem is told at once, each by its name', () => {
    const problems = problemsOf(BROKEN);
    const names = Object.keys(BROKEN).filter((name) => !(name in X) && name !== 'NEYNAR_API_KEY');
    const expected = [...names, 'Farcaster', 'X_BOT_USER_ID'];
    expect(problems.map((problem) => problem.split(' ')[0]).toSorted()).toEqual(expected.toSorted());
  });

  test('error: two equal ports are told beside every other problem, and each problem once', () => {
    expect(problemsOf({ PORT: '8080', ADMIN_PORT: '8080', LOG_LEVEL: 'loud', CHAINS: 'base,solana,tron' })).toEqual([
      'LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent',
      'CHAINS names an unknown chain; known are base, base-sepolia, optimism, arbitrum, polygon, ethereum, anvil',
      'ADMIN_PORT must be another port than PORT',
    ]);
    expect(problemsOf({ PORT: 'http', ADMIN_PORT: '3000' })).toEqual(['PORT must be a whole number from 0 to 65535']);
  });

  test('security: no value is ever in the error', () => {
    const load = () => loadConfig(BROKEN);
    expect(load).toThrow(ConfigError);
    expect(load).toThrow('  - PORT must be a whole number from 0 to 65535');
    expect(load).toThrow(
      expect.toSatisfy((error) => !/private|fake/.test(`${String(error)} ${JSON.stringify(error)}`)),
    );
  });

  test('behavior: the configuration cannot be changed', () => {
    const config = loadConfig({ ...FARCASTER, ...X });
    const { chains, platforms } = config;
    const ofPlatforms = platforms.flatMap((each) => [
      each,
      each.secrets,
      each.settings,
      ...Object.values(each.settings),
    ]);
    const parts = [config, chains, chains[0], chains[0]?.rpcUrls, platforms, ...ofPlatforms];
    for (const part of parts) expect(Object.isFrozen(part)).toBe(true);
  });

  test('security: its secrets are known, so that the log can cut them out', () => {
    const config = loadConfig({
      ...FARCASTER,
      ...X,
      GIG_WALLET_MNEMONIC: WORDS,
      CHAINS: 'base,optimism',
      RPC_URL_10: 'https://rpc.example/fake-key,https://mainnet.optimism.io,https://two.example/fake-key',
      ALERT_WEBHOOK_URL: 'https://hooks.example/fake-hook,http://127.0.0.1:9/fake-hook',
    });
    const ofPlatforms = ['api-key', 'signer', 'secret-1', 'secret-2', 'app-key', 'app-secret', 'access-token'];
    const urls = ['http://127.0.0.1:9/fake-hook', 'https://hooks.example/fake-hook'];
    const endpoints = ['https://rpc.example/fake-key', 'https://two.example/fake-key'];
    const secrets = [...ofPlatforms, 'access-secret'].map((name) => `fake-${name}`);
    expect(secretsOf(config).toSorted()).toEqual([...secrets, ...urls, ...endpoints, WORDS].toSorted());
    expect(secretsOf(loadConfig({}))).toEqual([]);
  });
});
