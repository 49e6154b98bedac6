import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../support/process.ts';
import { desk, output, refusal, useDesk } from './admin.ts';

const COMMANDS = [
  ...['doctor', 'reconcile', 'store copy', 'platform resume', 'mention list', 'reply list', 'reply retry'],
  ...['api-key create', 'api-key list', 'api-key revoke', 'account block', 'account unblock', 'account list'],
  ...['gig list', 'gig show', 'gig owner add', 'gig earnings', 'gig why'],
  ...['gig stop', 'gig cancel', 'gig settle', 'gig refund'],
  ...['token add', 'token allow', 'token disallow', 'token offer', 'token withdraw', 'token offered'],
  ...['owner list', 'owner allow', 'owner disallow', 'owner unlink', 'alert list', 'alert test'],
  ...['claim list', 'claim show', 'payment list', 'payment show', 'payment retry', 'payment anchor'],
  ...['payer deploy', 'payer status', 'webhooks register', 'webhooks list', 'webhooks delete'],
];

useDesk();

describe('help', () => {
  test('behavior: the first page names every group, where to start and the exit codes', async () => {
    const out = await output(desk.admin(['--help']));
    const groups =
      'doctor api-key gig account owner payer token mention reply claim payment reconcile webhooks store'.split(' ');
    for (const group of groups) expect(out).toMatch(new RegExp(`^ {2}${group} `, 'm'));
    expect(out).toContain('Start with: npm run admin -- doctor');
    expect(out).toContain('Exit codes: 0 success, 1 failed or refused, 2 usage error.');
  });

  test.each(COMMANDS)('behavior: %s is explained with an example', async (command) => {
    const out = await output(desk.admin([...command.split(' '), '--help']));
    expect(out).toContain(`Usage: npm run admin -- ${command}`);
    expect(out).toMatch(new RegExp(`\nExamples?:\n {2}npm run admin -- ${command}`));
  });

  test.each([
    ...['doctor', 'api-key list', 'gig list', 'gig show', 'mention list', 'reply list'],
    ...['claim list', 'claim show', 'payment list', 'payment show', 'reconcile', 'webhooks list'],
    ...['gig earnings', 'gig why', 'account list'],
  ])('behavior: %s takes --json', async (command) => {
    expect((await desk.admin([...command.split(' '), '--help'])).out).toContain('--json');
  });
});

describe('wrong usage', () => {
  test.each([
    ['', 'Usage: npm run admin --'],
    ['gig', 'Usage: npm run admin -- gig'],
    ['gigs', "error: unknown command 'gigs'"],
    ['gig lst', 'Did you mean list?'],
    ['gig list --state over', 'Allowed choices are active, created, live, ended, cancelled, all.'],
    ['gig list --limit 0', 'It must be a whole number from 1 to 1000.'],
    ['gig list --limit 1001', 'It must be a whole number from 1 to 1000.'],
    ['gig list --platform myspace', 'platform must be one of farcaster, x, twitter'],
    ['gig refund 1 --to 0x12', 'to must be an address: 0x and 40 hex digits'],
    ['gig show', "error: missing required argument 'gig'"],
    [
      'gig show 1e3',
      "invalid for argument 'gig'. It must be a positive whole number of at most 15 digits; gig list shows the ids.",
    ],
    ['gig owner add 1 myspace 5', 'platform must be one of farcaster, x, twitter'],
    [
      'gig owner add 1 farcaster alice',
      'platform_user_id must be a Farcaster FID or an X user id: a positive whole number of at most 20 digits',
    ],
    ['gig owner add 1 farcaster 5 --username a,b', 'username must be a handle: 1 to 64 letters'],
    ['token add', "error: missing required argument 'chain'"],
    ['token add solana 0x12', 'It must be one of base, base-sepolia, optimism, arbitrum, polygon, ethereum, anvil.'],
    ['token add anvil 0x12', 'address must be an address: 0x and 40 hex digits'],
    [
      'token add anvil 0x4eD4E862860beD51a9570b96d89aF5E1B0Efefed',
      'address must be an address: 0x and 40 hex digits in lower case, or in mixed case with a valid checksum',
    ],
    [
      'token add anvil 0x4ed4e862860bed51a9570b96d89af5e1b0efefed --image-url javascript:alert(1)',
      'It must be an http or https URL',
    ],
    ['token add anvil 0x4ed4e862860bed51a9570b96d89af5e1b0efefed --coingecko-id De/gen', 'such as degen-base'],
    ['api-key create', "error: required option '--name <name>' not specified"],
    ['api-key create --name a --expires soon', 'It must be a date such as 2027-01-31'],
    ['api-key revoke -1', 'error'],
    ['mention list --state lost', 'Allowed choices are received, answered, ignored, failed.'],
    ['reply list --state lost', 'Allowed choices are queued, sending, sent, failed, unknown.'],
    ['reply retry', "error: missing required argument 'id'"],
    ['platform resume myspace', 'platform must be one of farcaster, x, twitter'],
    ['payment list --state lost', 'Allowed choices are planned, sent, confirmed, failed.'],
    ['payment list --kind tip', 'Allowed choices are payout, fee, mark, refund, return.'],
    ['payment show x', 'It must be a positive whole number of at most 15 digits; payment list shows it.'],
    ['payment retry', "error: missing required argument 'id'"],
    ['payment anchor base', "error: required option '--to <block>' not specified"],
    ['payment anchor base --to 0x10', 'It must be the number of a block.'],
    ['claim show', "error: missing required argument 'id'"],
    ['reconcile all', 'It must be a positive whole number of at most 15 digits; gig list shows the ids.'],
    ['doctor --jsno', 'Did you mean --json?'],
    [
      'gig list --columns id,walet',
      'There is no column "walet"; there are id, state, platform, type, reward, title, chain, starts, ends, owners, wallet, client.',
    ],
    ['api-key list --columns id --json', "error: option '--columns <names>' cannot be used with option '--json'"],
    ['claim list --wide --json', "error: option '--wide' cannot be used with option '--json'"],
    ['webhooks register now', 'error: too many arguments'],
    ['webhooks delete myspace 5', 'platform must be one of farcaster, x, twitter'],
    ['webhooks delete x', "error: missing required argument 'id'"],
    ['webhooks delete x 5/6', 'It must be the id of a webhook; webhooks list shows it.'],
  ])('error: “%s” exits with 2 and says what would be right', async (command, expected) => {
    const { code, out, err } = await desk.admin(command.split(' ').filter((word) => word !== ''));
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(expected);
    expect(err).not.toContain('node:internal');
  });
});

describe('the process', () => {
  const child = async (...args: string[]) => {
    const command = run('src/admin.ts', { args, env: desk.env });
    return { code: await command.ended, output: command.output() };
  };

  test('behavior: exits with 0 and prints nothing but the answer', async () => {
    expect(await child('gig', 'list', '--json')).toEqual({ code: 0, output: '[]\n' });
  });

  test('error: exits with 1 for what is refused and with 2 for wrong usage, each with a sentence', async () => {
    expect(await child('gig', 'show', '7')).toEqual({ code: 1, output: 'There is no gig 7; see gig list.\n' });
    expect((await child('gig', 'show')).code).toBe(2);
  });
});

describe('what does not work', () => {
  test('error: a configuration that is not usable is named, without values or stacks', async () => {
    const env = { NEYNAR_API_KEY: 'fake-key-that-must-not-show', PORT: '99999' };
    const err = await refusal(desk.admin(['gig', 'list'], { env }));
    expect(err).toContain('PORT must be a whole number from 0 to 65535');
    expect(err).toContain('Farcaster is only half configured: also set NEYNAR_SIGNER_UUID');
    expect(err).not.toMatch(/fake-key|at .*\.ts/);
  });

  test('error: a database that is none is named in one line', async () => {
    const err = await refusal(desk.admin(['gig', 'list'], { env: { DATABASE_URL: `file:${process.execPath}` } }));
    expect(err).toContain(process.execPath);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    ...['api-key list', 'api-key rotate 1', 'api-key revoke 1', 'login', 'reconcile', 'audit list'],
    ...['gig list', 'gig show 1', 'gig assign 1 shop', 'gig stop 1', 'gig cancel 1', 'gig freeze 1 --reason leaked'],
    ...['tip void 1 --reason wrong', 'token add anvil 0x4ed4e862860bed51a9570b96d89af5e1b0efefed'],
    ...['mention list', 'reply list', 'claim list', 'payment list'],
  ])('error: “%s” where DATABASE_URL names no file is refused, and makes none', async (command) => {
    const path = `${desk.path}-mistyped`;
    const { code, out, err } = await desk.admin(command.split(' '), { env: { DATABASE_URL: `file:${path}` } });
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `There is no database at ${path}. Check DATABASE_URL; the service creates the database when it first starts.\n`,
    });
    expect(existsSync(path)).toBe(false);
  });

  test('behavior: api-key create may come before the first start, and says that it made the database', async () => {
    const path = join(dirname(desk.path), 'new', 'gigclaim.db');
    const create = () => desk.admin(['api-key', 'create', '--name', 'shop'], { env: { DATABASE_URL: `file:${path}` } });
    const out = await output(create());
    expect(out).toMatch(/\ngck_[A-Za-z0-9_-]{43}\n$/);
    expect(out).toContain(`The database ${path} did not exist and was created.\n`);
    expect((await create()).out).not.toContain('was not there');
  });

  test('error: a path below a file is named in one line', async () => {
    const env = { DATABASE_URL: `file:${desk.path}/gigclaim.db` };
    for (const command of ['gig list', 'api-key create --name shop']) {
      const err = await refusal(desk.admin(command.split(' '), { env }));
      expect(err).toContain(`${desk.path}/gigclaim.db`);
      expect(err.trimEnd().split('\n')).toHaveLength(1);
    }
  });
});

test('error: a clock before 2026 is refused by name, and nothing is done', async () => {
  const err = await refusal(desk.admin(['gig', 'list'], { clock: () => Date.UTC(2025, 5, 1) }));
  expect(err).toContain('The clock of this machine says 2025-06-01T00:00:00.000Z, which is before 2026.');
});
