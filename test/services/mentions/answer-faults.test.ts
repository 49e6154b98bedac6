import { describe, expect, test } from 'vitest';
import { MNEMONIC } from '../../../sandbox/people.ts';
import { createMentionReader } from '../../../src/bot/read-mention.ts';
import { createWallets } from '../../../src/chain/wallets.ts';
import { DomainError } from '../../../src/domain/errors.ts';
import { answerNextMention, Postponed } from '../../../src/services/mentions/answer-mentions.ts';
import type { StoreTx } from '../../../src/store/port/index.ts';
import { countTransactions } from '../../support/count-transactions.ts';
import { perCase } from '../../support/per-case.ts';
import { seedGig } from '../../support/store.ts';
import { fault } from '../fakes.ts';
import { createWorld, LEASE_MS, preparing } from '../world.ts';

const REQUIRED = 105_000_000_000_000_000_000n;
const OWNERS = [{ platform: 'farcaster', platformUserId: '1001' }] as const;

// Other processes answer as well.
const counted = countTransactions();
const world = perCase(() => createWorld({ isShared: true, wrap: counted.wrap }));

/** Another process takes the next mention, and is never heard of again. */
async function crashWithLease(): Promise<number> {
  const now = world.clock();
  const request = { lease: 'crashed', now, until: now + LEASE_MS, platforms: ['farcaster', 'twitter'] as const };
  const held = await world.store.transaction((tx) => tx.leaseMention(request));
  if (held === null) throw new Error('there was nothing to hold');
  return held.id;
}

/** A funded gig, and the mention by which its owner starts it. */
async function askForStart() {
  const gig = await seedGig(world.store, { owners: OWNERS });
  world.ledger.fund(gig.walletAddress, REQUIRED);
  return { gig, id: await world.hear({ text: `@gigclaim start gig ${gig.id}` }) };
}

/** In the middle of the next balance read its lease ends, and another process takes the mention over. */
function loseLease(): void {
  world.ledger.during(async () => {
    world.advance(LEASE_MS);
    await crashWithLease();
  });
}

describe('what a command commits', () => {
  /** Answers as `world` does, with an effect that `commit` makes of it. */
  function committing(commit: (tx: StoreTx) => Promise<unknown>) {
    return preparing(world.answering, async () => ({ reply: { kind: 'answer', text: 'done' }, commit }));
  }

  test('security: it is undone when the mention is not concluded', async () => {
    const id = await world.hear({ text: '@gigclaim help' });
    const answering = committing(async (tx) => {
      await tx.setOptedOut(OWNERS[0], true, 1);
      await tx.queueReply({ mentionId: id, kind: 'answer', text: 'another one' }, 1);
    });
    expect(await answerNextMention(answering)).toBe(true);
    expect(await world.store.hasOptedOut(OWNERS[0])).toBe(false);
    expect(await world.store.replyTo(id)).toBeNull();
    expect(await world.store.mention(id)).toMatchObject({ state: 'received' });
  });

  test('security: what was prepared is given back when the commit fails, and only then', async () => {
    let given = 0;
    const failures = [new DomainError({ code: 'gig_in_progress', gigId: 7 }), new TypeError('ours')];
    const answering = preparing(world.answering, async () => ({
      reply: { kind: 'answer', text: 'done' },
      async commit() {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
      },
      async abandon() {
        given += 1;
      },
    }));
    const id = await world.hear({ text: '@gigclaim help' });
    for (const [count, attempts] of [
      [1, 0],
      [2, 1],
      [2, 2],
    ] as const) {
      await answerNextMention(answering);
      expect(given).toBe(count);
      expect(await world.store.mention(id)).toMatchObject({ attempts });
      world.advance(world.answering.timing.backoffMs);
    }
    expect(await world.replyText(id)).toBe('done');
  });

  test('behavior: it is prepared again when what it rests on has changed, which is no attempt', async () => {
    const id = await world.hear({ text: '@gigclaim help' });
    const refusals = [new DomainError({ code: 'gig_in_progress', gigId: 7 })];
    const answering = committing(async () => {
      const refusal = refusals.shift();
      if (refusal !== undefined) throw refusal;
    });
    expect(await answerNextMention(answering)).toBe(true);
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', attempts: 0 });
    expect(await world.store.replyTo(id)).toBeNull();
    world.advance(world.answering.timing.backoffMs);
    expect(await answerNextMention(answering)).toBe(true);
    expect(await world.replyText(id)).toBe('done');
  });
});

describe('a worker that dies', () => {
  test('behavior: its mention is answered once its lease has ended, and once only', async () => {
    const id = await world.hear({ text: '@gigclaim help' });
    expect(await crashWithLease()).toBe(id);
    world.advance(LEASE_MS - 1);
    expect(await world.answerNext()).toBe(false);
    world.advance(1);
    await world.answerAll(4);
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered' });
    expect(await world.store.replies({ limit: 10 })).toHaveLength(1);
  });

  test('behavior: its start is done by the next one, though the lock was taken', async () => {
    const { gig, id } = await askForStart();
    await crashWithLease();
    const now = world.clock();
    const lock = { holder: `mention:${id}:crashed`, now, until: now + 10 * LEASE_MS };
    await world.store.transaction((tx) => tx.lockGig(gig.id, lock));
    world.advance(LEASE_MS);
    await world.answerAll();
    expect(await world.replyText(id)).toContain('is live until');
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
  });
});

describe('a worker whose lease ends while it works', () => {
  test('security: it writes nothing, and the other one starts and answers once', async () => {
    const { gig, id } = await askForStart();
    world.ledger.during(async () => {
      world.advance(LEASE_MS);
      await world.answerAll();
    });
    expect(await world.answerNext()).toBe(true);
    expect(await world.store.replies({ limit: 10 })).toHaveLength(1);
    expect(await world.replyText(id)).toContain('is live until');
    expect(await world.store.gigTransactions(gig.id)).toHaveLength(1);
    expect(world.lines.map(({ msg }) => msg)).toContain('mention leased by another worker');
  });

  test('security: while the other one is still at it, neither the gig nor the mention is changed', async () => {
    const { gig, id } = await askForStart();
    loseLease();
    expect(await world.answerNext()).toBe(true);
    expect(await world.store.gig(gig.id)).toEqual(gig);
    expect(await world.store.replyTo(id)).toBeNull();
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', lastError: null });
    world.advance(LEASE_MS);
    await world.answerAll();
    expect(await world.replyText(id)).toContain('is live until');
  });

  test('security: it cannot free the lock of its successor, which starts the funded gig', async () => {
    const { gig, id } = await askForStart();
    const successorReads = Promise.withResolvers<void>();
    const staleIsDone = Promise.withResolvers<void>();
    let successor: Promise<boolean> = Promise.resolve(false);
    world.ledger.during(async () => {
      world.advance(LEASE_MS);
      successor = world.answerNext();
      await successorReads.promise;
    });
    world.ledger.during(async () => {
      successorReads.resolve();
      await staleIsDone.promise;
    });
    // The first answer goes to the stale worker, which gives its lock back.
    world.ledger.fail(fault('timeout', 'safe'));
    expect(await world.answerNext()).toBe(true);
    staleIsDone.resolve();
    expect(await successor).toBe(true);
    expect(await world.store.gig(gig.id)).toMatchObject({ status: 'live' });
    expect(await world.replyText(id)).toContain('is live until');
  });

  test('security: it takes no lock any more, so that its successor keeps the one it has', async () => {
    const { gig, id } = await askForStart();
    const stale = preparing(world.answering, async (ctx, command) => {
      world.advance(LEASE_MS);
      await crashWithLease();
      const now = world.clock();
      const lock = { holder: `mention:${id}:crashed`, now, until: now + LEASE_MS };
      await world.store.transaction((tx) => tx.lockGig(gig.id, lock));
      return await command.prepare(ctx);
    });
    expect(await answerNextMention(stale)).toBe(true);
    expect(world.ledger.reads()).toBe(0);
    const freed = await world.store.transaction((tx) => tx.unlockGig(gig.id, `mention:${id}:crashed`));
    expect(freed).toBe(true);
  });

  test('security: an opt-out that came too late is not kept', async () => {
    const id = await world.hear({ text: '@gigclaim stop' });
    const answering = preparing(world.answering, async (ctx, command) => {
      world.advance(LEASE_MS);
      await crashWithLease();
      return await command.prepare(ctx);
    });
    expect(await answerNextMention(answering)).toBe(true);
    expect(await world.store.hasOptedOut(OWNERS[0])).toBe(false);
    expect(await world.store.replyTo(id)).toBeNull();
  });

  test('security: a failure that comes too late does not take the mention from the other one', async () => {
    const gig = await seedGig(world.store, { owners: OWNERS });
    const id = await world.hear({ text: `@gigclaim start gig ${gig.id}` });
    world.ledger.fail(fault('timeout', 'safe'));
    loseLease();
    await world.answerNext();
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', lastError: null });
    expect(await world.answerNext()).toBe(false);
  });
});

describe('a mention that waits', () => {
  test.each<[string, unknown, number, number, string]>([
    ['a platform that is paused', fault('paused', 'safe', 45_000), 45_000, 0, 'the network said paused'],
    ['one that does not say for how long', fault('paused', 'safe'), 2_000, 0, 'the network said paused'],
    ['other work', new Postponed('later', 45_000), 45_000, 0, 'later'],
    ['work that takes too long', new Postponed('later', 9_000_000), 600_000, 0, 'later'],
    ['a failure', fault('timeout', 'safe'), 2_000, 1, 'AdapterError: the network said timeout'],
    [
      'what the platform asks for',
      fault('timeout', 'safe', 45_000),
      45_000,
      1,
      'AdapterError: the network said timeout',
    ],
    [
      'more than it may ask for',
      fault('timeout', 'safe', 9_000_000),
      600_000,
      1,
      'AdapterError: the network said timeout',
    ],
    ['less than is waited anyhow', fault('timeout', 'safe', 1), 2_000, 1, 'AdapterError: the network said timeout'],
    ['what is no error', 'odd', 2_000, 1, 'unknown error'],
  ])('error: for %s is answered then, and not before', async (_, error, ms, attempts, lastError) => {
    const id = await world.hear();
    expect(await answerNextMention(preparing(world.answering, () => Promise.reject(error)))).toBe(true);
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', attempts, lastError });
    expect(world.lines.at(-1)).toMatchObject({ mentionId: id, platform: 'farcaster', waitMs: ms });
    world.advance(ms - 1);
    expect(await world.answerNext()).toBe(false);
    world.advance(1);
    expect(await world.answerNext()).toBe(true);
    expect(await world.replyText(id)).not.toBeNull();
  });

  test('error: of a platform that was turned off meanwhile says so', async () => {
    const id = await world.hear();
    const platforms = Object.assign(new Map(world.answering.platforms), { get: () => undefined });
    await answerNextMention({ ...world.answering, platforms });
    const lastError = 'TypeError: farcaster is off, but one of its mentions was leased';
    expect(await world.store.mention(id)).toMatchObject({ attempts: 1, lastError });
  });

  test('security: is taken by one of two processes, and looked for without a transaction', async () => {
    const id = await world.hear();
    expect((await Promise.all([world.answerNext(), world.answerNext()])).toSorted()).toEqual([false, true]);
    expect(await world.store.mention(id)).toMatchObject({ state: 'answered', attempts: 1 });
    const before = counted.count();
    expect(await world.answerNext()).toBe(false);
    expect(counted.count()).toBe(before);
  });
});

describe('a fault of ours', () => {
  const broken = () =>
    preparing(world.answering, () => Promise.reject(new TypeError('cannot read properties of undefined')));

  test('error: the mention waits longer each time, and after twenty failures is set aside', async () => {
    const id = await world.hear();
    const waits: unknown[] = [];
    for (let failure = 1; failure <= 20; failure += 1) {
      expect(await answerNextMention(broken())).toBe(true);
      const last = world.lines.at(-1);
      if (last !== undefined && 'waitMs' in last) waits.push(last['waitMs']);
      expect(await answerNextMention(broken())).toBe(false);
      world.advance(600_000);
    }
    expect(waits.slice(0, 5)).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect(waits).toHaveLength(19);
    expect(waits.at(-1)).toBe(600_000);
    const lastError = 'TypeError: cannot read properties of undefined';
    expect(await world.store.mention(id)).toMatchObject({ state: 'failed', attempts: 20, lastError });
    expect(world.lines.at(-1)).toMatchObject({ level: 'error', msg: 'mention failed after too many attempts' });
    world.advance(600_000);
    expect(await world.answerNext()).toBe(false);
  });

  test('behavior: once it is repaired the mention is answered, and others were answered meanwhile', async () => {
    const id = await world.hear();
    await answerNextMention(broken());
    const other = await world.hear({ authorId: '7' });
    await world.answerAll();
    expect(await world.replyText(other)).not.toBeNull();
    expect(await world.replyText(id)).toBeNull();
    world.advance(2_000);
    await world.answerAll();
    expect(await world.replyText(id)).not.toBeNull();
  });

  test('behavior: what an author says later waits for what was said before', async () => {
    const first = await world.hear({ text: '@gigclaim stop' });
    await answerNextMention(broken());
    const second = await world.hear({ text: '@gigclaim claims' });
    expect(await world.answerNext()).toBe(false);
    world.advance(2_000);
    await world.answerAll();
    expect(await world.store.mention(first)).toMatchObject({ state: 'answered' });
    expect(await world.store.mention(second)).toMatchObject({ state: 'ignored', ignoreReason: 'opted_out' });
  });
});

describe('a platform that is silent', () => {
  /** Whoever asks this one for an address passes the gate, as with the real adapters. */
  function answering(verified: () => Promise<readonly []>) {
    const gate = world.health.gate('farcaster');
    const network = { ...world.farcaster.network, payoutAddresses: () => gate.pass(verified) };
    const platforms = new Map([['farcaster', network] as const]);
    const readMention = createMentionReader({ ...world.reading, platforms, wallets: createWallets(MNEMONIC) });
    return { ...world.answering, platforms, readMention };
  }

  test('behavior: is not asked for a claimant’s address, which counts as no attempt, until it answers again', async () => {
    let asked = 0;
    let silent = true;
    const deps = answering(() => {
      asked += 1;
      return silent ? Promise.reject(fault('timeout', 'safe')) : Promise.resolve<readonly []>([]);
    });
    const id = await world.hear({ text: '@gigclaim claim my rewards' });
    // Three deadlines, and the waits between them.
    for (const wait of [2_000, 4_000, 8_000]) {
      await answerNextMention(deps);
      world.advance(wait);
    }
    for (let turn = 0; turn < 20; turn += 1) {
      await answerNextMention(deps);
      world.advance(300);
    }
    expect(asked).toBe(3);
    const lastError = 'farcaster did not answer 3 calls in a row, and is paused';
    expect(await world.store.mention(id)).toMatchObject({ state: 'received', attempts: 3, lastError });
    silent = false;
    world.advance(15_000);
    await answerNextMention(deps);
    expect(asked).toBe(4);
    expect(await world.replyText(id)).toMatch(/^You have no verified Ethereum address\./);
  });
});
