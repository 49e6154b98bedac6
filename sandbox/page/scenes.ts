import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { NATIVE_TOKEN_ADDRESS } from '../../src/domain/gigs/token.ts';
import type { Payment } from '../../src/domain/payments/payment.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/domain/time.ts';
import { shortened } from '../../src/http/ui/badges.ts';
import { TAP_SCENE } from '../feed/scene.ts';
import { mustShow, type PersonBrowser } from '../owners/browser.ts';
import { readPageForm } from '../owners/forms.ts';
import { keyOf } from '../owners/keys.ts';
import { signInAs } from '../owners/sign-in.ts';
import { payLink } from '../owners/wallet.ts';
import { BOT, PEOPLE, person, SPONSOR } from '../people.ts';
import { StepError } from '../step-error.ts';
import * as acts from './acts.ts';
import { mustAnswer } from './api.ts';
import * as outcomes from './outcomes.ts';
import type { PostPlace } from './parts.ts';
import type { Performed, Scene } from './player.ts';
import type { GigRecord } from './records.ts';
import type { Stage } from './stage.ts';
import type { Seen } from './watcher.ts';
import { clockTime, NO_BACKUP } from './words.ts';

const NAMES = PEOPLE.map(({ name }) => name);
const DELIVERY_PATIENCE_MS = 2_000;
const REPLY_MS = 30_000;
/** The service looks at the wallets of gigs that start by themselves once a minute. */
const START_PATIENCE_MS = 150_000;
const DOWN_MS = 15_000;
/** The last line names nobody: the preview says so, and the rest is awarded. In whole ETH. */
const LIST = ['farcaster:1001,0.2', '@carol,0.1', '@nobody-here,5'].join('\n');
const winners = z.array(z.object({ platform_user_id: z.string() }));
const draw = z.object({ data: z.object({ state: z.string(), winners }) });
const listed = z.object({ data: z.array(z.object({ id: z.string(), type: z.string() })), next_after: z.string() });

function posted(author: string, place: PostPlace, outcome: Performed['outcome']): Performed {
  return { message: `Posted as ${author}.`, posts: [place], outcome };
}

/** The gigs that bob can start on X: first those with too little in their wallets, last those with too much. */
function startable(seen: Seen): GigRecord[] {
  const isWaiting = (gig: GigRecord) => gig.status === 'created' && gig.cancelledAt === null && gig.isBobsOnX;
  const gigs = [...seen.records.gigs.values()].filter(isWaiting);
  return gigs.sort((a, b) => acts.readWallet(a, seen).balance - acts.readWallet(b, seen).balance);
}

function refusable(seen: Seen): GigRecord[] {
  return startable(seen).filter((gig) => acts.readWallet(gig, seen).balance !== 0);
}

/** The next user to be paid: one with tips on Farcaster, where addresses are verified. */
function payee({ records }: Seen): string | undefined {
  return PEOPLE.find(({ name }) => (records.claimable.get(name)?.farcaster.length ?? 0) > 0)?.name;
}

/** The first gig that is found in what the wallets hold; one more of bob's when there is none. */
async function chooseGig(stage: Stage, find: (seen: Seen) => GigRecord[]): Promise<number> {
  const { watcher } = stage;
  // What they hold is not known before the first look, which a viewer of the page or a press begins.
  if (watcher.seen().holdings === null) await watcher.look();
  const [found] = find(watcher.seen());
  return found?.id ?? (await acts.createGig(stage, 'DEGEN', { ...acts.BY_HAND, amount: '100', owners: acts.OWNERS }));
}

function start(stage: Stage, gigId: number, meant: 'refused' | 'accepted') {
  const wallet = acts.mustSee(stage, gigId);
  const standing = `${wallet.standing}${wallet.balance > 0 ? ', which is too much' : ''}`;
  const place = acts.say(stage, 'x', 'bob', `start gig ${gigId}`);
  return posted('bob', place, (world) => outcomes.started(world, { gigId, standing, meant }, place));
}

/** Those with tips are paid what they have earned, and one who was refused asks why. */
function claimAndAsk(stage: Stage, gigId: number, paid: string[], [asker, why]: [string, RegExp]): Performed {
  const claims = paid.map((who) => acts.say(stage, 'farcaster', who, 'claim my rewards'));
  const posts = [...claims, acts.say(stage, 'farcaster', asker, `why ${gigId}`)];
  const message = `The tips of gig ${gigId} are claimed.`;
  return { message, gigId, posts, outcome: (world) => outcomes.earned(world, gigId, posts, why) };
}

async function moveOn({ time, story }: Stage, ms: number, words: string): Promise<void> {
  await time.moveOn(ms);
  story.tell({ scene: 'You', text: `moved the time on by ${words}.` });
}

async function openLiked(stage: Stage, text: string, terms: object) {
  const { farcaster } = stage.networks;
  const cast = farcaster.post({ author: SPONSOR.username, text });
  const gigId = await acts.openGig(stage, { gig_type: 'like', url: cast.url, ...terms });
  for (const who of NAMES) farcaster.act({ who, kind: 'like', post: cast.id });
  stage.story.tell({ scene: 'Farcaster', text: `${NAMES.join(', ')} liked the cast of gig ${gigId}.` });
  await acts.untilCounted(stage, gigId, 'held', NAMES.length);
  return { gigId, cast };
}

async function untilPaid(stage: Stage, gigId: number, wanted: 'fee' | 'refund'): Promise<void> {
  await acts.until(stage, `The ${wanted} of gig ${gigId} has not been paid`, ({ records }) => {
    const isIt = ({ kind, state, ...one }: Payment) => one.gigId === gigId && kind === wanted && state === 'confirmed';
    return [...records.payments.values()].some(isIt) || null;
  });
}

async function command({ networks: { farcaster } }: Stage, text: string, expected: RegExp): Promise<void> {
  const { id } = farcaster.post({ author: 'bob', text: `@${BOT.username} ${text}` });
  const reply = await farcaster.waitForReply(id, REPLY_MS);
  if (reply === null) throw new StepError(`The bot did not answer “${text}” within ${REPLY_MS / 1_000} s.`);
  if (!expected.test(reply.text)) throw new StepError(`The bot answered “${text}”: ${reply.text}`);
}

async function createByForm(browser: PersonBrowser): Promise<{ gigId: number; link: string }> {
  const form = await browser.open('/my/gigs/new');
  mustShow(form, /^\/my\/gigs\/new$/);
  const { choices } = readPageForm(form.text, '/my/gigs/new');
  const choose = (field: string, part: string) => choices.get(field)?.find((value) => value.includes(part)) ?? '';
  const page = await browser.submit(form, '/my/gigs/new', {
    gig_type: 'mention',
    how_to_earn: acts.BY_HAND.how_to_earn,
    rule: 'manual',
    amount: '1',
    asset: choose('asset', NATIVE_TOKEN_ADDRESS),
    start: choose('start', 'funded'),
  });
  const [, id] = mustShow(page, /^\/my\/gigs\/([0-9]+)$/);
  const link = /href="(ethereum:[^"]+)"/.exec(page.text)?.[1];
  if (link === undefined) throw new StepError('The page of the gig has no payment link.');
  return { gigId: Number(id), link: link.replaceAll('&amp;', '&') };
}

/** What there is to try on the page, in the order in which to try it. */
export const SCENES: readonly Scene[] = [
  {
    name: 'look-up',
    title: 'Look-up',
    text: 'alice asks on Farcaster what she can claim. The bot replies.',
    button: 'Ask as alice',
    seen: /claimable tokens/,
    act: async (stage) => {
      const place = acts.say(stage, 'farcaster', 'alice', 'claims');
      return posted('alice', place, (world) => outcomes.told(world, 'alice', place));
    },
  },
  {
    name: 'refused',
    title: 'Refused start',
    text: 'bob starts a gig on X. Its wallet does not hold exactly what the gig needs; the bot says what is missing.',
    button: (seen) => {
      const [gig] = refusable(seen);
      return gig === undefined ? 'Create a gig and start it' : `Start gig ${gig.id} as bob`;
    },
    seen: /is not funded/,
    act: async (stage) => start(stage, await chooseGig(stage, refusable), 'refused'),
  },
  {
    name: 'accepted',
    title: 'Accepted start',
    text: 'The wallet of a gig is funded with exactly what it needs. bob starts the gig, and it is live.',
    button: (seen) => {
      const [gig] = startable(seen);
      if (gig === undefined) return 'Create, fund and start a gig';
      return `${acts.readWallet(gig, seen).balance > 0 ? 'Fit' : 'Fund'} and start gig ${gig.id}`;
    },
    seen: /is live until/,
    act: async (stage) => {
      const gigId = await chooseGig(stage, startable);
      const { balance } = acts.mustSee(stage, gigId);
      if (balance > 0) await acts.fitGig(stage, gigId);
      if (balance < 0) await acts.fundGig(stage, gigId, 'exact');
      return start(stage, gigId, 'accepted');
    },
  },
  {
    name: 'payout',
    title: 'Payout',
    text: 'A user claims with a cast. The tips of all gigs are paid in one transaction on chain, and the bot confirms it.',
    button: (seen) => `Claim as ${payee(seen) ?? 'alice'}`,
    seen: /Paid to/,
    act: async (stage) => {
      const { watcher, story, backup } = stage;
      await watcher.look();
      if (payee(watcher.seen()) === undefined) {
        const gigId = await acts.openGig(stage, acts.BY_HAND);
        await acts.awardTip(stage, gigId, 'alice', '2');
        const why = 'because nobody had tips to claim';
        story.tell({ scene: 'You', text: `alice has earned 2 USDC in gig ${gigId}, ${why}.` });
      }
      const author = payee(watcher.seen()) ?? 'alice';
      // The claim is what a copy of before does not know.
      await backup?.take();
      const place = acts.say(stage, 'farcaster', author, 'claim my rewards');
      return posted(author, place, (world) => outcomes.paidOut(world, author, place));
    },
  },
  {
    name: 'crash',
    title: 'Crash',
    text: 'Two users post, and the service is killed before it can answer. It restarts and answers each post once.',
    button: 'Post and kill',
    act: async (stage) => {
      // One post that the service has taken and not answered, and one that it cannot even be told of.
      const taken = acts.say(stage, 'farcaster', 'carol', 'claims');
      await Promise.race([stage.networks.farcaster.settled(), wait(DELIVERY_PATIENCE_MS)]);
      acts.killService(stage);
      const posts = [taken, acts.say(stage, 'x', 'bob', 'claims')];
      const message = 'Two posts, and the service was killed.';
      return { message, posts, outcome: (world) => outcomes.survived(world, posts) };
    },
  },
  {
    name: 'restore',
    title: 'Old backup',
    text: 'The service gets back its database from before the payout. The chain knows what was paid, and nobody is paid twice.',
    button: 'Put back yesterday’s database',
    needsBackup: true,
    act: async (stage) => {
      const { backup, service, story, watcher } = stage;
      if (backup === null) throw new StepError(NO_BACKUP);
      await watcher.look();
      const before = outcomes.paidNow(watcher.seen());
      if (before === null || before.payouts.size === 0) {
        throw new StepError('There is no payout yet. Press the payout button first.');
      }
      const { state } = watcher.seen().service;
      if (state === 'restarting' || state === 'lost') throw new StepError('The service is down.');
      const copy = `of the database of ${clockTime(backup.takenAt())}`;
      story.tell({ scene: 'You', text: `put back the copy ${copy}. What happened since is not in it.` });
      await service.whileStopped(backup.putBack);
      return {
        message: `The service runs with the copy ${copy}.`,
        outcome: (world) => outcomes.caughtUp(world, before),
      };
    },
  },
  {
    name: 'earn',
    title: 'Earned by a like',
    text: 'A gig pays 2 USDC for a like. All like the cast, carol takes it back, 13 hours pass. alice and bob claim; mallory asks why not.',
    button: 'Create a gig that pays likes',
    act: async (stage) => {
      const terms = { duration: '1week', earning_criteria: { rule: { type: 'fixed', amount: '2' } } };
      const { gigId, cast } = await openLiked(stage, 'Like this cast, and be paid for it.', terms);
      stage.networks.farcaster.act({ who: 'carol', kind: 'unlike', post: cast.id });
      stage.story.tell({ scene: 'Farcaster', text: 'carol took the like back.' });
      // Likes are held for 12 hours.
      await moveOn(stage, 13 * HOUR_MS, '13 h, past the hold of the likes');
      await acts.untilCounted(stage, gigId, 'decided', NAMES.length);
      return claimAndAsk(stage, gigId, ['alice', 'bob'], ['mallory', /Not eligible: your Farcaster score/]);
    },
  },
  {
    name: 'bounty',
    title: 'Bounty',
    text: 'A gig asks for a logo. alice and bob submit to the bot; a verifier, a program, awards alice 2.5 USDC and refuses bob, who asks why not.',
    button: 'Create a bounty',
    act: async (stage) => {
      const gigId = await acts.openGig(stage, {
        gig_type: 'custom_bounty',
        duration: '1week',
        how_to_earn: 'Design a logo',
        verifier: `${stage.places.verifier}/decide`,
        earning_criteria: { rule: { type: 'verifier', max_amount: '5' } },
      });
      acts.say(stage, 'farcaster', 'alice', `submit ${gigId} A logo in two colors: https://design.example/1`);
      acts.say(stage, 'farcaster', 'bob', `submit ${gigId} I have no logo yet, but a very good idea`);
      await acts.untilCounted(stage, gigId, 'decided', 2);
      const why = /Not eligible: the verifier refused your submission: no link/;
      return claimAndAsk(stage, gigId, ['alice'], ['bob', why]);
    },
  },
  {
    name: 'raffle',
    title: 'Raffle',
    text: 'All like a cast. A day and a half later a new block draws one of three; mallory is not eligible. The winner claims 10 USDC.',
    button: 'Create a raffle',
    link: { href: (service, gigId) => `${service}/gigs/${gigId}/draw`, label: 'The draw and its proof' },
    act: async (stage) => {
      const terms = { duration: '1day', earning_criteria: { rule: { type: 'raffle', winners: 1 } } };
      const { gigId } = await openLiked(stage, 'Like this cast, and one of you wins it all.', terms);
      await moveOn(stage, DAY_MS + 13 * HOUR_MS, '1 d 13 h, past the end and the hold of the likes');
      const path = `/api/gigs/${gigId}/draw`;
      await acts.untilAnswered(stage, path, draw, ({ data }) => data.state === 'fixed');
      // A minute after the entrants are fixed the next block decides.
      await moveOn(stage, 2 * MINUTE_MS, '2 min, past the block that decides');
      const { data } = await acts.untilAnswered(stage, path, draw, ({ data }) => data.state === 'drawn');
      await acts.untilCounted(stage, gigId, 'decided', NAMES.length);
      const drawn = data.winners.map((winner) => winner.platform_user_id).join();
      const winner = PEOPLE.find(({ fid }) => String(fid) === drawn)?.name;
      if (winner === undefined) throw new StepError(`Gig ${gigId} has no winner.`);
      return claimAndAsk(stage, gigId, [winner], [winner === 'bob' ? 'carol' : 'bob', /You weren't drawn/]);
    },
  },
  {
    name: 'refund',
    title: 'Refund',
    text: 'A gig of 10 USDC awards alice 2. Its owner bob stops and settles it. Three days later the rest is back in the funder’s wallet, and alice claims.',
    button: 'Create a gig and end it',
    act: async (stage) => {
      const gigId = await acts.openGig(stage, { ...acts.BY_HAND, owners: acts.OWNERS.slice(0, 1) });
      await acts.awardTip(stage, gigId, 'alice', '2');
      await command(stage, `stop gig ${gigId}`, /is stopped/);
      await command(stage, `settle gig ${gigId}`, /is settled/);
      // A refund waits while the fee is under way, and is tried again a minute later.
      await untilPaid(stage, gigId, 'fee');
      await moveOn(stage, 73 * HOUR_MS, '3 d 1 h, past the time between settlement and refund');
      await untilPaid(stage, gigId, 'refund');
      const place = acts.say(stage, 'farcaster', 'alice', 'claim my rewards');
      const message = `The tips of gig ${gigId} are claimed.`;
      return { message, posts: [place], outcome: (world) => outcomes.refunded(world, gigId, 'alice', place) };
    },
  },
  {
    name: 'receiver',
    title: 'Receiver down',
    text: 'A program takes the events of all gigs. It is killed for 15 seconds, in which a gig starts and awards tips. It gets each event, in order.',
    button: 'Kill the receiver',
    act: async (stage) => {
      const before = mustAnswer(listed, await stage.api('GET', '/api/events?after=latest'));
      await stage.receiver.takeDown(DOWN_MS);
      const gigId = await acts.openGig(stage, acts.BY_HAND);
      // Each is awarded in a batch of its own, which is one event.
      await acts.awardTip(stage, gigId, 'alice', '2');
      await acts.awardTip(stage, gigId, 'bob', '1');
      const path = `/api/events?after=${before.next_after}&gig_id=${gigId}`;
      const isWhole = ({ data }: z.infer<typeof listed>) =>
        data.filter(({ type }) => type === 'tips.awarded').length === 2;
      const { data } = await acts.untilAnswered(stage, path, listed, isWhole);
      const events = data.map(({ id }) => id);
      const message = `The receiver has missed ${events.length} events of gig ${gigId}.`;
      return { message, outcome: (world) => outcomes.received(world, gigId, events, DOWN_MS) };
    },
  },
  {
    name: 'owner',
    title: 'An owner’s gig',
    text: 'bob signs in with the wallet, creates a gig and pays it. It starts within a minute. bob awards tips by a list; its wrong line is skipped.',
    button: 'Create a gig as bob',
    act: async (stage) => {
      const { places } = stage;
      const tell = (text: string) => stage.story.tell({ scene: 'Service', text });
      const browser = await signInAs(person('bob'), 'wallet', { places, userAgent: 'Sandbox' });
      tell('bob signed in with the wallet.');
      const { gigId, link } = await createByForm(browser);
      const hash = await payLink(link, { url: places.chain, from: keyOf(person('bob')) });
      tell(`bob’s wallet paid gig ${gigId} by the link of its page (${shortened(hash)}).`);
      const isLive = ({ records }: Seen) => records.gigs.get(gigId)?.status === 'live' || null;
      await acts.until(stage, `Gig ${gigId} has not started by itself`, isLive, START_PATIENCE_MS);
      const path = `/my/gigs/${gigId}/award`;
      const preview = await browser.submit(await browser.open(path), path, { list: LIST });
      mustShow(preview, /\/award$/);
      mustShow(await browser.submit(preview, `${path}/confirm`), /\/report$/);
      return { message: `bob is done with gig ${gigId}.`, outcome: (world) => outcomes.owned(world, 'bob', gigId) };
    },
  },
  {
    name: 'button',
    title: 'Claim by button',
    text: 'alice earns 2 USDC more, signs in with Farcaster and claims with a button, without a post. A second click pays nothing.',
    button: 'Earn and claim as alice',
    act: async (stage) => {
      const tell = (text: string) => stage.story.tell({ scene: 'Service', text });
      const gigId = await acts.openGig(stage, acts.BY_HAND);
      await acts.awardTip(stage, gigId, 'alice', '2');
      const browser = await signInAs(person('alice'), 'farcaster', { places: stage.places, userAgent: 'Sandbox' });
      tell('alice signed in with Farcaster.');
      const action = `/my/rewards/farcaster/${person('alice').fid}`;
      const page = await browser.open('/my/rewards');
      mustShow(await browser.submit(page, action), /^\/my\/rewards\//);
      tell('alice pressed “Claim everything”, and presses it again.');
      mustShow(await browser.submit(page, action), /^\/my\/rewards\//);
      return {
        message: `alice is done with gig ${gigId}.`,
        outcome: (world) => outcomes.pressedTwice(world, 'alice', gigId),
      };
    },
  },
  TAP_SCENE,
];
