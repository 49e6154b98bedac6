import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readState } from '../../../sandbox/state.ts';
import { findPayer } from '../../../src/chain/payer/deploy/deploy.ts';
import type { Address } from '../../../src/domain/gigs/token.ts';
import { anvilClients } from '../../support/anvil.ts';
import { openEventReceiver, type TestEventReceiver } from '../../support/event-receiver.ts';
import { type Running, run } from '../../support/process.ts';
import { press } from '../../support/sandbox.ts';
import { temporaryFolder } from '../../support/store.ts';

const DAY_MS = 86_400_000;
const SANDBOX_TOKENS = ['0xb19b36b1456E65E3A6D514D3F715f204BD59f431', '0x8ce361602B935680E8DeC218b820ff5056BeB7af'];

let folder: ReturnType<typeof temporaryFolder>;
let sandbox: Running;
let env: Record<string, string>;
let service: string;
let chain: string;
let databasePath: string;
let pageUrl: string;
let hook: TestEventReceiver;
let listener: Running;

/** Runs a script of the sandbox until it ends. @returns what it printed */
async function command(script: string, args: readonly string[], code = 0): Promise<string> {
  const running = run(script, { args, env });
  expect(await running.ended, running.output()).toBe(code);
  return running.output();
}

const say = (...args: [network: string, author: string, text: string]) => command('sandbox/say.ts', args);
/** Presses the button of a step. @returns what is said at once */
const pressStep = (step: string) => press(pageUrl, `/steps/${step}`);

/** Waits until the page shows this. */
async function shown(words: RegExp): Promise<RegExpExecArray> {
  const page = async () => await (await fetch(pageUrl)).text();
  await expect.poll(page).toMatch(words);
  const found = words.exec(await page());
  if (found === null) throw new Error(`the page does not show ${words} any more`);
  return found;
}

/** What everybody holds of a token, by name. */
async function balances(symbol: string): Promise<Record<string, number>> {
  const lines = (await command('sandbox/say.ts', ['balances'])).trim().split('\n');
  const amount = (line: string) => Number(new RegExp(`([0-9.]+) ${symbol}`).exec(line)?.[1]);
  return Object.fromEntries(lines.map((line) => [line.split(' ')[0], amount(line)]));
}

/** Its pid now: it has another one after each restart. */
function servicePid(): number {
  const pids = [...sandbox.output().matchAll(/service_pid=([0-9]+)|back, process ([0-9]+)/g)];
  return Number(pids.at(-1)?.[1] ?? pids.at(-1)?.[2]);
}

beforeAll(async () => {
  folder = temporaryFolder();
  env = { SANDBOX_STATE_FILE: join(folder.path, 'sandbox.json') };
  sandbox = run('sandbox/main.ts', { env });
  const ready =
    /^sandbox ready service=(\S+) farcaster=\S+ x=\S+ chain=(\S+) service_pid=[0-9]+ database=(\S+) page=(\S+)$/m;
  [, service = '', chain = '', databasePath = '', pageUrl = ''] = await sandbox.seen(ready);
  hook = await openEventReceiver();
  listener = run('sandbox/listen.ts', { args: ['--forward', hook.url], env });
  await listener.seen(/Forwarding to/);
});

afterAll(async () => {
  listener.child.kill('SIGKILL');
  await hook.close();
  sandbox.child.kill('SIGKILL');
  folder.remove();
});

describe('the sandbox', () => {
  test('behavior: a step that is pressed before anyone has seen the page refuses the gig that it is about', async () => {
    const pressed = await fetch(`${pageUrl}/steps/refused`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: pageUrl },
    });
    expect(pressed.status).toBe(303);
    const page = async () => await (await fetch(pageUrl)).text();
    await expect.poll(page).toContain('gig 3 was refused: it holds 0 of 105 DEGEN');
  });

  test('behavior: the fees of the gigs that were started before the service ran are paid', async () => {
    const metrics = async () => await (await fetch(`${service}/metrics`)).text();
    await expect.poll(metrics).toContain('gigclaim_transfers{state="confirmed"} 3\n');
  });

  test('behavior: answers alice’s claims on both networks', async () => {
    expect(await say('farcaster', 'alice', '@gigclaim claims')).toContain(
      '@gigclaim: Your claimable tokens: 100 DEGEN (1 tip, 1 gig) · 12 USDC (1 tip, 1 gig) · 1 ETH (1 tip, 1 gig)',
    );
    expect(await say('x', 'alice', '@gigclaim claims')).toContain(
      '@gigclaim: Your claimable tokens: 50 DEGEN (1 tip, 1 gig)',
    );
  });

  test('behavior: answers a person who posts more often than production would within the hour', async () => {
    const { x } = readState(env['SANDBOX_STATE_FILE'] ?? '');
    for (let post = 1; post <= 12; post += 1) {
      const posted = await fetch(`${x}/sandbox/posts`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ author: 'carol', text: '@gigclaim claims' }),
      });
      const { id } = (await posted.json()) as { id: string };
      const { reply } = (await (await fetch(`${x}/sandbox/posts/${id}/reply?wait=20000`)).json()) as { reply: unknown };
      expect({ post, reply }).toMatchObject({ reply: { text: expect.stringContaining('no claimable tokens') } });
    }
  });

  test('behavior: lets bob start his funded gig, and refuses the one that is not funded', async () => {
    expect(await say('x', 'bob', '@gigclaim start gig 2')).toContain('@gigclaim: Gig 2 is live until ');
    expect(await say('farcaster', 'bob', '@gigclaim start gig 3')).toContain('needs exactly 105 DEGEN and holds 0');
  });

  test('behavior: has the payer contracts on its chain', async () => {
    const clients = anvilClients(chain);
    const code = async (address: Address) => (await clients.public.getCode({ address })) ?? '0x';
    expect((await findPayer({ code })).map(({ state }) => state)).toEqual(['deployed', 'deployed']);
  });

  test('behavior: serves both endpoints as printed', async () => {
    const claim = await (await fetch(`${service}/api/claim?identifiers=1001,bob`)).json();
    expect(claim).toMatchObject({ summary: { total_tokens: 3, total_gigs: 3 } });
    // The documents name the tokens by their addresses.
    expect(Object.keys((claim as { data: object }).data)).toEqual(expect.arrayContaining(SANDBOX_TOKENS));
    const key = /x-api-key: (gck_\S+)'/.exec(sandbox.output())?.[1] ?? '';
    const start = (gigId: number) =>
      fetch(`${service}/api/gigs/start`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ gig_id: gigId }),
      });
    const started = await start(5);
    expect(started.status).toBe(200);
    expect(await started.json()).toEqual({ data: { message: 'Gig started successfully', gig_id: 5 } });
    expect(await (await start(3)).json()).toMatchObject({
      error: { message: 'Gig with id 3 is not funded', details: { length: 6 } },
    });
  });

  test('behavior: comes back on the same database after the service was killed', async () => {
    const before = servicePid();
    process.kill(before, 'SIGKILL');
    expect(await say('x', 'alice', '@gigclaim claims')).toContain('50 DEGEN');
    await sandbox.seen(/The service is back, process [0-9]+/);
    expect(servicePid()).not.toBe(before);
    expect(await say('farcaster', 'bob', '@gigclaim start gig 2')).toContain('Gig 2 is already live.');
  });

  test('behavior: the idle service stays below 192 MB', () => {
    const resident =
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(servicePid())], { encoding: 'utf8' })) / 1024;
    expect(resident).toBeGreaterThan(20);
    expect(resident).toBeLessThan(192);
  });

  test('behavior: says what everybody holds, the native asset included', async () => {
    expect(await command('sandbox/say.ts', ['balances'])).toMatch(/^alice 0x\w{40}: 0 DEGEN, 0 USDC, 10000 ETH\n/);
  });

  test('error: says who there is when a stranger is to post', async () => {
    const stranger = await command('sandbox/say.ts', ['x', 'nobody', 'hello'], 1);
    expect(stranger).toContain('There is no user nobody. The users are gigclaim, alice, bob, carol, mallory');
    const elsewhere = await command('sandbox/say.ts', ['bluesky', 'alice', 'hello'], 2);
    expect(elsewhere).toContain('There is no network bluesky: post on farcaster or x.');
  });

  test('error: says why no reply will come, instead of waiting for it', async () => {
    const unanswered = (...args: string[]) => command('sandbox/say.ts', args, 1);
    const aside = 'The bot does not reply. The post does not mention @gigclaim, so it is not for the bot.';
    expect(await unanswered('farcaster', 'carol', 'good morning')).toContain(aside);
    expect(await say('farcaster', 'carol', '@gigclaim good morning')).toContain('@gigclaim: Mention me with: ');
    expect(await unanswered('farcaster', 'carol', '@gigclaim good morning')).toContain(
      'The bot does not reply. The service does not answer the post: its author has had the help within a day.',
    );
  });

  test('behavior: a gig with rules pays those whose likes stand, and mallory is told why not', async () => {
    expect(await pressStep('earn')).toMatchObject({ ok: true, message: 'The tips of gig 8 are claimed.' });
    await shown(
      /gig 8 paid alice 2 USDC and bob 2 USDC; the bot replied to mallory: “Gig 8: Not eligible: your Farcaster score is 0\.21; this gig requires 0\.55\.”/,
    );
    expect(await say('farcaster', 'alice', '@gigclaim why 8')).toContain('Gig 8: Awarded 2 USDC.');
    expect(await say('farcaster', 'carol', '@gigclaim why 8')).toContain('you undid it before the decision');
    const acted = await command('sandbox/act.ts', ['farcaster', 'carol', 'recast', 'gig', '8']);
    expect(acted).toBe('carol recast the cast of gig 8. Gig 8 does not count that: it counts like.\n');
  });

  test('behavior: moves the time on for the service, the networks and the chain together, also through a crash', async () => {
    const status = async () => {
      const { data } = (await (await fetch(`${service}/api/gigs/1`)).json()) as { data: { status: string } };
      return data.status;
    };
    expect(await status()).toBe('live');
    expect(await command('sandbox/later.ts', ['13x'], 2)).toBe(
      'Move the time on by minutes, hours or days, at most a year, as 90m, 13h or 2d; not "13x".\n',
    );
    const before = Date.now();
    expect(await command('sandbox/later.ts', ['3d'])).toMatch(
      /^It is 3 d later: [0-9]+ [A-Z][a-z]+ [0-9]{4}, [0-9:]{5} UTC\.\n$/,
    );
    expect(await status()).toBe('ended');
    const { timestamp } = await anvilClients(chain).public.getBlock();
    expect(Number(timestamp) * 1_000).toBeGreaterThan(before + 2 * DAY_MS);
    process.kill(servicePid(), 'SIGKILL');
    await sandbox.seen(/(?:The service is back, process [0-9]+[\s\S]*){2}/);
    expect(await status()).toBe('ended');
    expect(await say('x', 'alice', '@gigclaim claims')).toContain('50 DEGEN');
  });

  test('behavior: a verifier awards one submission, which is paid to the last unit, and refuses another one', async () => {
    const before = await balances('USDC');
    expect(await pressStep('bounty')).toMatchObject({ ok: true, message: 'The tips of gig 9 are claimed.' });
    await shown(
      /gig 9 paid alice 2\.5 USDC; the bot replied to bob: “Gig 9: Not eligible: the verifier refused your submission: no link to a design\.”/,
    );
    expect(await balances('USDC')).toEqual({ ...before, alice: (before['alice'] ?? 0) + 2.5 });
    await shown(/Asked about gig 9, by a signed request\. It decided: [^<]*alice: 2\.5/);
  });

  test('behavior: a raffle is drawn with a proof that a script repeats, and its winner is paid all of it', async () => {
    const before = await balances('USDC');
    expect(await pressStep('raffle')).toMatchObject({ ok: true, message: 'The tips of gig 10 are claimed.' });
    const [, winner = ''] = await shown(
      /gig 10 paid (alice|bob|carol) 10 USDC; the bot replied to (?:bob|carol): “Gig 10: You weren(?:'|&#39;)t drawn\.”/,
    );
    expect(await balances('USDC')).toEqual({ ...before, [winner]: (before[winner] ?? 0) + 10 });
    const [, link = ''] = await shown(/<a href="([^"]*)">The draw and its proof/);
    expect(link).toBe(`${service}/gigs/10/draw`);
    expect(await (await fetch(link)).text()).toContain('How to check it');
    const checked = await command('docs/check-draw.mjs', [service, '10', `--rpc=${chain}`]);
    expect(checked).toContain('OK: of 3 entrants 1 were drawn');
    expect(await say('farcaster', 'mallory', '@gigclaim why 10')).toContain(
      'your Farcaster score is 0.21; this gig requires 0.55',
    );
  });

  test('behavior: what a stopped gig has not awarded returns to its funder, and its tip is claimed after that', async () => {
    const before = await balances('USDC');
    expect(await pressStep('refund')).toMatchObject({ ok: true, message: 'The tips of gig 11 are claimed.' });
    await shown(/gig 11 returned 8 USDC to the funder’s wallet \(0x\w{4}…\w{4}\); after that alice was paid 2 USDC\./);
    await shown(/The funder’s wallet holds 8 USDC more, as of block [0-9]+\./);
    const { alice = 0, funder = 0 } = before;
    expect(await balances('USDC')).toEqual({ ...before, alice: alice + 2, funder: funder + 8 });
    expect(await say('farcaster', 'bob', '@gigclaim stop gig 11')).toContain('Gig 11 has ended already.');
  });

  test('behavior: a receiver that was killed for a while has every event of it, in order', async () => {
    expect(await pressStep('receiver')).toMatchObject({
      ok: true,
      message: expect.stringMatching(/events of gig 12\.$/),
    });
    const words = /down for 15 s, and got ([0-9]+) of ([0-9]+) events of gig 12, in order\./;
    const [, delivered, all] = await shown(words);
    expect(delivered).toBe(all);
    expect(Number(all)).toBeGreaterThanOrEqual(4);
    await shown(/<strong>Receiver<\/strong> Took event [0-9]+, signed: tips\.awarded of gig 12\./);
  });

  test('behavior: bob signs in, creates and pays a gig that starts by itself, and awards a list', async () => {
    expect(await pressStep('owner')).toMatchObject({ ok: true, message: 'bob is done with gig 13.' });
    await shown(
      /bob paid gig 13 from the wallet, and it started within a minute\. The list awarded 0\.3 ETH to two accounts/,
    );
    const [, badge] = await shown(/id="step-owner">[\s\S]*?class="badge [a-z]+">([^<]*)</);
    expect(badge).toBe('done');
    expect(await say('farcaster', 'carol', '@gigclaim claims')).toContain('0.1 ETH');
  });

  test('behavior: alice earns, signs in with Farcaster and claims by a button, which pays once', async () => {
    const { alice = 0, ...others } = await balances('USDC');
    expect(await pressStep('button')).toMatchObject({ ok: true, message: 'alice is done with gig 14.' });
    await shown(/alice was paid [^<]*2 USDC[^<]* by the button, without a post\. The second click paid nothing more\./);
    // With what the gig before last awarded her.
    expect(await balances('USDC')).toEqual({ ...others, alice: alice + 4 });
  });

  test('behavior: alice taps a card twice at once and is paid once; bob reads in the feed that he has earned', async () => {
    const before = await balances('USDC');
    expect(await pressStep('tap')).toMatchObject({ ok: true, message: 'alice is done with gig 15.' });
    await shown(/alice was paid 2 USDC by a tap, without a post or a sign-in\. The second tap paid nothing more\./);
    expect(await balances('USDC')).toEqual({ ...before, alice: (before['alice'] ?? 0) + 2 });
    const feed = async () => await (await fetch(`${pageUrl}/feed?as=bob`)).text();
    await expect.poll(feed).toMatch(/id="told">.*You earned/s);
    expect(await feed()).toMatch(/aria-label="Card of [^"]*\/gigs\/15"/);
  });

  test('behavior: listen has printed what the buttons did, and forwarded all of it, signed', async () => {
    for (const [type, gig] of [
      ['gig.started', 5],
      ['payment.confirmed', 8],
      ['tips.awarded', 9],
      ['gig.settled', 11],
      ['gig.created', 12],
      ['gig.started', 13],
      ['payment.confirmed', 14],
    ]) {
      await listener.seen(new RegExp(`^[0-9]+ \\S+ ${type} gig=${gig}\\b`, 'm'));
    }
    const secret = /signed with (whsec_\S+)/.exec(listener.output())?.[1] ?? '';
    const printed = [...listener.output().matchAll(/^([0-9]+) [0-9]{4}-/gm)].map(([, seq]) => Number(seq));
    await expect.poll(() => hook.seqs()).toEqual(printed);
    const first = printed[0] ?? 0;
    expect(printed).toEqual(printed.map((_, index) => first + index));
    const last = hook.received.at(-1);
    expect(new Webhook(secret).verify(last?.text ?? '', { ...last?.headers } as Record<string, string>)).toEqual(
      last?.body,
    );
  });

  test('behavior: Ctrl-C ends everything it started', async () => {
    const pid = servicePid();
    sandbox.child.kill('SIGINT');
    expect(await sandbox.ended).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow();
    expect(existsSync(databasePath)).toBe(false);
    expect(existsSync(env['SANDBOX_STATE_FILE'] ?? '')).toBe(false);
    await expect(fetch(`${service}/health`)).rejects.toThrow();
  });
});
