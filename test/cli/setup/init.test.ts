import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { runAdmin } from '../../../src/cli/program.ts';
import { createQuestions } from '../../../src/cli/setup/questions.ts';
import { settingLine, settingsText, writeOnce } from '../../../src/cli/setup/settings-file.ts';
import { loadConfig } from '../../../src/config.ts';
import { readAmpleDisk } from '../../support/disk.ts';
import { MIGRATIONS, SEEDED_AT, temporaryFolder } from '../../support/store.ts';

const ROOT = join(import.meta.dirname, '../../..');
const WORDS = 'test test test test test test test test test test test junk';
const TREASURY = '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc';

let folder: { path: string; remove: () => void };
const env = () => join(folder.path, '.env');
const files = () => readdirSync(folder.path);

beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

/** Runs `init` with these lines on its input, and with the database in the folder. */
async function init(lines: readonly string[]) {
  let [out, err] = ['', ''];
  const input = Readable.from(lines.map((line) => `${line}\n`));
  const output = new PassThrough().on('data', (chunk) => {
    out += String(chunk);
  });
  const code = await runAdmin({
    args: ['init'],
    env: { DATABASE_URL: `file:${join(folder.path, 'gigclaim.db')}` },
    migrationsFolder: MIGRATIONS,
    clock: () => SEEDED_AT,
    readDisk: readAmpleDisk,
    stdout: (text) => void output.write(text),
    stderr: (text) => {
      err += text;
    },
    setup: {
      folder: folder.path,
      program: ROOT,
      registry: 'http://127.0.0.1:1',
      questions: () => createQuestions({ input, output, isTerminal: false }),
    },
  });
  return { code, out, err };
}

/** The answers in their order: chains, endpoint, mnemonic, treasury, URL, sign-in, and those about the platforms. */
function answers(given: { words?: string[]; treasury?: string[]; url?: string[]; platforms?: string[] } = {}) {
  const { words = [WORDS], treasury = [''], url = [''], platforms = ['no', ''] } = given;
  return ['anvil', inject('anvilUrl'), ...words, ...treasury, ...url, '', ...platforms];
}

describe('init', () => {
  test('behavior: writes a .env for this account alone, which explains the rest, and runs doctor with it', async () => {
    const { code, out } = await init(answers({ treasury: [TREASURY], url: ['https://gigs.example.org'] }));
    const text = readFileSync(env(), 'utf8');
    const settings = { CHAINS: 'anvil', RPC_URL_31337: inject('anvilUrl'), GIG_WALLET_MNEMONIC: WORDS };
    expect(parseEnv(text)).toEqual({ ...settings, TREASURY_ADDRESS: TREASURY, PUBLIC_URL: 'https://gigs.example.org' });
    expect(text).toContain('\n#PLATFORM_FEE_BPS=500\n');
    expect(statSync(env()).mode & 0o777).toBe(0o600);
    expect(out).toContain('✓ configuration: All variables are valid');
    expect(out).toContain('✓ public url: https://gigs.example.org');
    expect(out).toContain('1. Start the service: npm start');
    expect(code).toBe(0);
  });

  test('behavior: makes a mnemonic when asked, shows it once, and goes on when it is written down', async () => {
    const { out } = await init(answers({ words: ['new', 'no', 'perhaps', 'yes'] }));
    const words = parseEnv(readFileSync(env(), 'utf8'))['GIG_WALLET_MNEMONIC'] ?? '';
    expect(words.split(' ')).toHaveLength(12);
    expect(out.split(words)).toHaveLength(2);
    expect(out).toContain('Write these words down, and keep them off this machine.');
    expect(out.split('Have you written them down?')).toHaveLength(4);
  });

  test('error: asks again after a bad answer, and says what would be right', async () => {
    const bad = ['nochain', 'anvil', 'ftp://node', inject('anvilUrl'), 'twelve words', WORDS, '0x12', '', 'me', ''];
    const { code, out } = await init([...bad, 'facebook', 'wallet', 'so', 'no', 'no']);
    expect(out.split('\n').filter((line) => line.startsWith('  ') && !/^ {2}( |[0-9])/.test(line))).toEqual([
      '  CHAINS names an unknown chain; known are base, base-sepolia, optimism, arbitrum, polygon, ethereum, anvil.',
      expect.stringMatching(/^ {2}RPC_URL_31337 must be .*http/),
      '  GIG_WALLET_MNEMONIC must be a valid BIP-39 mnemonic of English words, or "new".',
      expect.stringMatching(/^ {2}TREASURY_ADDRESS must be an Ethereum address/),
      '  PUBLIC_URL must be an http or https URL.',
      '  SIGN_IN must be farcaster, wallet or both, comma-separated.',
      '  Enter yes or no.',
    ]);
    expect(parseEnv(readFileSync(env(), 'utf8'))['SIGN_IN']).toBe('wallet');
    expect(code).toBe(0);
  });

  test('behavior: takes a platform whose webhook secret is issued later, and says how to get it', async () => {
    const farcaster = ['yes', 'key', '', 'signer', '', '9001', 'gigclaim', 'no'];
    const { out } = await init(answers({ platforms: farcaster }));
    const { NEYNAR_API_KEY, NEYNAR_SIGNER_UUID, FARCASTER_BOT_FID, ...others } = parseEnv(readFileSync(env(), 'utf8'));
    expect([NEYNAR_API_KEY, NEYNAR_SIGNER_UUID, FARCASTER_BOT_FID]).toEqual(['key', 'signer', '9001']);
    expect(others).not.toHaveProperty('NEYNAR_WEBHOOK_SECRETS');
    expect(out).toContain('NEYNAR_SIGNER_UUID is needed here.');
    expect(out).toContain('1. Run npm run admin -- webhooks register, and set NEYNAR_WEBHOOK_SECRETS in .env');
  });

  test('security: leaves a .env that is there as it is, also one that appears meanwhile', async () => {
    writeFileSync(env(), 'PORT=1\n');
    const { code, err } = await init(answers());
    expect(err).toBe(`There is already ${env()}. Edit it, or move it away and run init again. It was not changed.\n`);
    expect([code, readFileSync(env(), 'utf8'), files()]).toEqual([1, 'PORT=1\n', ['.env']]);
    expect(writeOnce(env(), 'PORT=2\n')).toBe(false);
    expect([readFileSync(env(), 'utf8'), files()]).toEqual(['PORT=1\n', ['.env']]);
  });

  test.each([0, 1, 3, 7])('error: leaves nothing when the input ends after %i answers', async (count) => {
    const { code, err } = await init(answers().slice(0, count));
    expect([code, err, files()]).toEqual([1, 'The input ended before the last question. Nothing was written.\n', []]);
  });
});

test('behavior: values are read from .env as they were given, or refused at their question without being shown', () => {
  let seed = 47;
  const below = (limit: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % limit;
  };
  const letters = [...'a#\'"`\\n$ ={}é😀%\t'];
  const text = () =>
    Array.from({ length: 1 + below(7) }, () => letters[below(letters.length)])
      .join('')
      .trim() || 'a';
  const example = readFileSync(join(ROOT, '.env.example'), 'utf8');
  const held = Array.from({ length: 3_000 }, (_, each) => ({
    SITE_NAME: each === 0 ? '$HOME a' : text(),
    LAST: text(),
  })).filter((values) => Object.entries(values).every(([name, value]) => settingLine(name, value) !== null));
  expect(held.length).toBeGreaterThan(2_500);
  for (const values of held) expect(parseEnv(settingsText(example, values))).toEqual(values);
  expect(settingLine('SITE_NAME', 'a\'b"c`d#e')).toBeNull();
  expect(() => settingsText('', { SITE_NAME: 'a\'b"c`d#e' })).toThrow('.env cannot hold the value of SITE_NAME');
});

test('security: what is secret is not shown on a terminal, also when it is typed before its question', async () => {
  let out = '';
  const [input, output] = [new PassThrough(), new PassThrough()];
  output.on('data', (chunk) => {
    out += String(chunk);
  });
  const questions = createQuestions({ input, output, isTerminal: true });
  const asked = questions.ask('KEY: ', { isSecret: true });
  input.write('abracadabra\r');
  expect(await asked).toBe('abracadabra');
  const name = questions.ask('NAME: ');
  input.write('simsalabim\rhocus\rpo');
  expect(await name).toBe('simsalabim');
  expect(await questions.ask('KEY: ', { isSecret: true })).toBe('hocus');
  const last = questions.ask('KEY: ', { isSecret: true });
  input.write('cus\r');
  expect(await last).toBe('pocus');
  questions.close();
  expect(out).toBe('KEY: \nNAME: simsalabim\r\nKEY: \nKEY: \n');
});

test('behavior: .env.example alone is a valid configuration', () => {
  expect(() => loadConfig(parseEnv(settingsText(readFileSync(join(ROOT, '.env.example'), 'utf8'), {})))).not.toThrow();
});
