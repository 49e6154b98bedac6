import { describe, expect, test } from 'vitest';
import { seedAddress, seedTips } from '../../support/store.ts';
import { DAY, E18, END, HOUR, MINUTE, START } from './gigs.ts';
import { openForEachTest, world } from './world.ts';

const TEXT = 'These are certainly enough letters';

openForEachTest();

describe('gig types', () => {
  test('behavior: likes of the cast earn, each once, after their hold', async () => {
    const gig = await world.gig();
    const amy = world.person('amy');
    await world.engine.until(START + HOUR);
    world.like('amy');
    await world.engine.until(START + 2 * HOUR);
    world.like('ben');
    await world.engine.until(START + 12 * HOUR);
    expect(await world.outcome(gig)).toEqual({ amy: 'held', ben: 'held' });
    await world.engine.until(START + 13.5 * HOUR);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'held' });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded' });
    const { tips } = await world.store.pendingTips([world.account(amy)]);
    expect(tips).toMatchObject([{ gigId: gig.id, amount: 10n * E18 }]);
    // Its tip names the account as it was called when it was judged.
    expect(await world.store.account(world.account(amy))).toMatchObject({ username: 'amy' });
    expect(await world.store.earnedAmount(gig.id)).toBe(20n * E18);
    expect(await world.store.openWatches('farcaster', { limit: 1 })).toEqual([]);
  });

  test('behavior: a recast gig counts recasts alone, a boost gig quotes too, and one of both once', async () => {
    const recasts = await world.gig({ gigType: 'recast' });
    const boosts = await world.gig({ gigType: 'boost' });
    world.recast('amy');
    world.quote('ben', TEXT);
    world.recast('cat');
    world.quote('cat', `${TEXT} of mine`);
    world.like('dan');
    await world.engine.until(END + DAY);
    expect(await world.outcome(recasts)).toEqual({ amy: 'awarded', cat: 'awarded' });
    expect(await world.outcome(boosts)).toEqual({ amy: 'awarded', cat: 'awarded', ben: 'awarded' });
    expect(await world.store.earnedAmount(boosts.id)).toBe(30n * E18);
  });

  test('behavior: direct replies earn, those to a reply do not', async () => {
    const gig = await world.gig({ gigType: 'reply' });
    world.person('ben');
    const first = world.reply('amy', TEXT);
    world.network.post({ author: 'ben', text: `${TEXT} again`, replyTo: first.id });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
  });

  test('behavior: casts that mention the account earn', async () => {
    const star = world.person('star');
    world.people('amy', 'ben');
    const gig = await world.gig({ gigType: 'mention', target: { kind: 'account', accountId: star } });
    world.network.post({ author: 'amy', text: `@star ${TEXT}` });
    world.network.post({ author: 'star', text: `@star ${TEXT} myself` });
    world.network.post({ author: 'ben', text: TEXT });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
  });

  test('behavior: casts with the keyword as a whole word earn', async () => {
    world.people('amy', 'ben');
    const gig = await world.gig({ gigType: 'mention', target: { kind: 'keyword', keyword: '$degen' } });
    world.network.post({ author: 'amy', text: `${TEXT}: $DEGEN!` });
    world.network.post({ author: 'ben', text: `${TEXT}: $degenerate` });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
  });

  test('behavior: follows inside the window earn; who followed before does not, whatever it does again', async () => {
    const star = world.person('star');
    for (const who of ['amy', 'ben']) world.follow(who);
    world.clock.now = START - HOUR;
    const gig = await world.gig({ gigType: 'follow', target: { kind: 'account', accountId: star } });
    await world.engine.until(START + MINUTE);
    world.unfollow('ben');
    world.follow('ben');
    for (const who of ['cat', 'dan']) world.follow(who);
    await world.engine.until(START + HOUR);
    world.unfollow('dan');
    await world.engine.until(END + DAY);
    const early = 'before_start';
    expect(await world.outcome(gig)).toEqual({ amy: early, ben: early, cat: 'awarded', dan: 'withdrawn' });
  });
});

describe('which act counts', () => {
  test('behavior: a cast from before the start earns nothing, and keeps no later one from earning', async () => {
    world.people('amy', 'ben');
    world.clock.now = START - DAY;
    for (const author of ['amy', 'ben']) world.network.post({ author, text: `${TEXT}: $DEGEN, says ${author}` });
    world.clock.now = START - HOUR;
    const gig = await world.gig({ gigType: 'mention', target: { kind: 'keyword', keyword: '$degen' } });
    await world.engine.until(START + 13 * HOUR);
    expect(await world.outcome(gig)).toEqual({ amy: 'before_start', ben: 'before_start' });
    world.network.post({ author: 'amy', text: `${TEXT}: $DEGEN once more` });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'before_start' });
  });

  test('behavior: an act that is undone in the hold earns nothing, one after the award keeps its tip', async () => {
    const gig = await world.gig();
    world.likes('amy', 'ben');
    await world.engine.until(START + 11 * HOUR);
    world.unlike('amy');
    await world.engine.until(START + 13 * HOUR);
    world.unlike('ben');
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'withdrawn', ben: 'awarded' });
  });

  test('behavior: of several replies the earliest that stands counts, and a later one replaces a withdrawn one', async () => {
    const gig = await world.gig({ gigType: 'reply' });
    const ids = ['amy', 'ben'].map((name) => world.person(name));
    const early = world.reply('amy', `${TEXT} of amy`);
    world.reply('ben', `${TEXT} of ben`);
    await world.engine.until(START + HOUR);
    const late = world.reply('amy', `${TEXT} of amy, later`);
    world.reply('ben', `${TEXT} of ben, later`);
    await world.engine.until(START + 2 * HOUR);
    world.act({ kind: 'delete', who: 'amy', post: early.id });
    await world.engine.until(START + 12.5 * HOUR);
    expect(await world.outcome(gig)).toEqual({ ben: 'awarded', amy: 'held' });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded' });
    const [amy] = await Promise.all(ids.map((id) => world.store.earning(gig.id, world.account(id))));
    const acts = await world.store.observations(gig.id, world.account(ids[0] ?? ''));
    expect(acts.find(({ id }) => id === amy?.observationId)).toMatchObject({ objectId: late.id });
  });

  test('behavior: another reply reopens a refusal for the text, another like nothing', async () => {
    const replies = await world.gig({ gigType: 'reply' });
    const likes = await world.gig();
    world.reply('amy', 'gm');
    world.like('amy');
    await world.engine.until(START + HOUR);
    world.unlike('amy');
    await world.engine.until(START + 13 * HOUR);
    expect([await world.outcome(replies), await world.outcome(likes)]).toEqual([
      { amy: 'text_too_short' },
      { amy: 'withdrawn' },
    ]);
    world.reply('amy', TEXT);
    world.like('amy');
    await world.engine.until(END + DAY);
    expect([await world.outcome(replies), await world.outcome(likes)]).toEqual([
      { amy: 'awarded' },
      { amy: 'withdrawn' },
    ]);
  });

  test('behavior: many short replies do not hide a long one behind them', async () => {
    const gig = await world.gig({ gigType: 'reply' });
    for (let count = 0; count < 30; count += 1) world.reply('amy', `gm ${count}`);
    world.reply('amy', TEXT);
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded' });
  });

  test('error: a reply without a word, or without any text, is kept and refused', async () => {
    const gig = await world.gig({ gigType: 'reply' });
    world.reply('amy', '');
    world.reply('ben', 'https://example.com/a');
    world.reply('cat', TEXT);
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'text_too_short', ben: 'text_too_short', cat: 'awarded' });
  });

  test('behavior: when the cast is deleted, what was seen stands', async () => {
    const likes = await world.gig();
    const replies = await world.gig({ gigType: 'reply' });
    world.like('amy');
    const reply = world.reply('ben', TEXT);
    await world.engine.until(START + HOUR);
    world.act({ kind: 'delete', who: 'ben', post: reply.id });
    world.act({ kind: 'delete', who: 'author', post: world.cast.id });
    await world.engine.until(END + DAY);
    expect(await world.outcome(likes)).toEqual({ amy: 'awarded' });
    expect(await world.outcome(replies)).toEqual({ ben: 'awarded' });
    expect(await world.store.openWatches('farcaster', { limit: 1 })).toEqual([]);
  });

  test('security: a backdated like gains no rank on those that were there before the sweep that missed it', async () => {
    const gig = await world.gig({ each: 60n * E18, holdMs: HOUR });
    await world.engine.until(START + HOUR);
    world.like('amy');
    await world.engine.until(START + 2.5 * HOUR);
    world.like('eve', START + 1);
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', eve: 'reward_used_up' });
  });

  test('behavior: an act before the end counts when it is seen within ten minutes after it, and one after it does not', async () => {
    const gig = await world.gig({ holdMs: 0 });
    await world.engine.until(END - 1);
    world.like('amy');
    world.clock.now = END + 1;
    world.like('ben');
    world.like('cat', END - 5);
    await world.engine.until(END + 11 * MINUTE);
    expect(await world.outcome(gig)).toEqual({ cat: 'awarded', amy: 'awarded', ben: 'after_end' });
    expect(await world.store.watch(gig.id)).toMatchObject({ overAt: expect.any(Number) });
  });
});

describe('the reward', () => {
  test('behavior: it goes by rank; a held account with an earlier rank keeps its own', async () => {
    const gig = await world.gig({ gigType: 'reply', each: 50n * E18, holdMs: 2 * HOUR });
    const first = world.reply('amy', `${TEXT} one`);
    await world.engine.until(START + 1.5 * HOUR);
    world.reply('amy', `${TEXT} two`);
    world.reply('ben', `${TEXT} three`);
    world.reply('cat', `${TEXT} four`);
    await world.engine.until(START + 1.8 * HOUR);
    world.act({ kind: 'delete', who: 'amy', post: first.id });
    await world.engine.until(START + 2.4 * HOUR);
    expect(await world.outcome(gig)).toMatchObject({ amy: 'held', ben: 'held', cat: 'held' });
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'awarded', cat: 'reward_used_up' });
    expect((await world.store.gig(gig.id))?.awardedAmount).toBe(100n * E18);
  });

  test('behavior: tips by request see what is left, and leave the engine the rest', async () => {
    const gig = await world.gig({ each: 40n * E18, holdMs: 0 });
    world.likes('amy', 'ben');
    await seedTips(world.store, gig, [{ ...world.account('1'), amount: 30n * E18 }]);
    await world.engine.until(END + DAY);
    expect(await world.outcome(gig)).toEqual({ amy: 'awarded', ben: 'reward_used_up' });
  });

  test('behavior: who shares a verified address, or copies a text, comes second', async () => {
    const likes = await world.gig();
    const replies = await world.gig({ gigType: 'reply' });
    const shared = [seedAddress(1), seedAddress(2)];
    world.person('amy', { addresses: [seedAddress(1)] });
    world.person('eve', { addresses: shared });
    world.person('dan', { addresses: [seedAddress(2)] });
    world.likes('amy', 'eve', 'dan');
    world.reply('amy', TEXT);
    world.reply('dan', `  ${TEXT.toUpperCase()} https://example.com`);
    await world.engine.until(END + DAY);
    expect(await world.outcome(likes)).toEqual({ amy: 'awarded', eve: 'same_address', dan: 'awarded' });
    expect(await world.outcome(replies)).toEqual({ amy: 'awarded', dan: 'duplicate_text' });
  });
});
