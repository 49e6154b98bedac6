import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { loadConfig, VARIABLES, variablesOf } from '../../src/config.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';

const EXAMPLE = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

/** What the file would set with the `#` taken off every line that shows a variable. */
const shown = parseEnv(EXAMPLE.replace(/^#(?=[A-Z_0-9]+=)/gm, ''));

/** Secrets that say so of themselves; the others stand behind such a one. */
const MARKED = [
  'GIG_WALLET_MNEMONIC',
  'NEYNAR_API_KEY',
  'NEYNAR_SIGNER_UUID',
  'NEYNAR_WEBHOOK_SECRETS',
  'ALERT_WEBHOOK_URL',
];
const SECRETS = [...MARKED, 'X_APP_KEY', 'X_APP_SECRET', 'X_ACCESS_TOKEN', 'X_ACCESS_SECRET', 'SIGNING_KEY'];
/** The variable of each chain, as documents write it. */
const ENDPOINT = 'RPC_URL_<chain id>';

test('behavior: the example shows every variable the service knows, and no other', () => {
  const endpoints = CHAINS.map(({ id }) => `RPC_URL_${id}`);
  expect(Object.keys(shown).toSorted()).toEqual([...VARIABLES, ...endpoints].toSorted());
});

test('behavior: each variable is shown once', () => {
  const names = [...EXAMPLE.matchAll(/^#?([A-Z_0-9]+)=/gm)].map(([, name]) => name);
  expect(names).toEqual([...new Set(names)]);
});

/** The rows of the table of settings in docs/operate.md. */
function settingRows() {
  const document = readFileSync(new URL('../../docs/operate.md', import.meta.url), 'utf8');
  const [, section = ''] = document.split('\n## Settings\n');
  const [table = ''] = section.split('\n#');
  const code = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
  return [...table.matchAll(/^\| (`.*`) \| (.*?) ?\| (.*) \|$/gm)].map(([, names, defaults, purpose = '']) => ({
    names: code(names),
    defaults: code(defaults),
    isSecret: /\bsecret\b/.test(purpose),
  }));
}

test('behavior: the table of settings in docs/operate.md has every variable once, with the same default', () => {
  const rows = settingRows();
  expect(rows.flatMap(({ names }) => names).toSorted()).toEqual([...VARIABLES, ENDPOINT].toSorted());
  for (const { names, defaults } of rows.filter(({ names: [name] }) => name !== ENDPOINT)) {
    const without = names.map(() => '');
    expect([names, defaults.length === 0 ? without : defaults]).toEqual([names, names.map((name) => shown[name])]);
  }
});

test('security: the table of settings marks the secrets, which the log redacts', () => {
  const marked = settingRows().flatMap(({ names, isSecret }) => (isSecret ? names : []));
  // A URL of these may have a password or a key in it; the last one is an older name.
  const others = ['DATABASE_URL', ENDPOINT, 'VERIFIER_SIGNING_KEY'];
  expect(marked.toSorted()).toEqual([...SECRETS, ...others].toSorted());
});

test('behavior: copied as it is, it sets nothing', () => {
  expect(parseEnv(EXAMPLE)).toEqual({});
});

test('behavior: the values it shows are the defaults', () => {
  const every = CHAINS.map(({ key }) => key).join(',');
  // The endpoint of Ethereum is its public one, and turns names on.
  const { RPC_URL_1: ofNames, ...others } = shown;
  expect(ofNames).toBe(CHAINS.find(({ id }) => id === 1)?.publicRpcUrl);
  expect(loadConfig(others)).toEqual(loadConfig({}));
  expect(loadConfig({ ...others, CHAINS: every })).toEqual(loadConfig({ CHAINS: every }));
});

test('behavior: every variable that has a default is shown with it', () => {
  expect(shown).toMatchObject({
    HOST: '0.0.0.0',
    PORT: '3000',
    PUBLIC_URL: 'http://localhost:3000',
    DATABASE_URL: 'file:./data/gigclaim.db',
    LOG_LEVEL: 'info',
    CHAINS: 'base',
    PLATFORM_FEE_BPS: '500',
    RATE_LIMIT_PER_MINUTE: '100',
    CLAIM_RATE_LIMIT_PER_MINUTE: '10',
    CLAIM_RATE_LIMIT_PER_MINUTE_IN_ALL: '30',
    TRUSTED_PROXIES: '0',
    TRUST_PROXY: 'false',
    REPLIES_PER_AUTHOR_HOUR: '10',
    REPLIES_PER_THREAD_HOUR: '5',
    MENTION_POLL_SECONDS: '300',
    X_REPLY_BUDGET: '100/15m,300/3h',
  });
});

test('security: it holds no secret, and says of each that it is one', () => {
  for (const name of SECRETS) expect(shown[name]).toBe('');
  for (const name of MARKED) expect(EXAMPLE).toMatch(new RegExp(`# SECRET\\.[^\\n]*\\n(# [^\\n]*\\n)*#${name}=`));
});

test('behavior: each platform says that its variables go together, and every variable says what it is for', () => {
  expect(variablesOf('farcaster')).toHaveLength(5);
  expect(EXAMPLE).toContain('Farcaster: all five or none');
  expect(variablesOf('twitter')).toHaveLength(6);
  expect(EXAMPLE).toContain('X: all six or none');
  for (const block of EXAMPLE.split('\n\n').filter((text) => /^#[A-Z]/m.test(text))) expect(block).toMatch(/^# [A-Z`]/);
});
