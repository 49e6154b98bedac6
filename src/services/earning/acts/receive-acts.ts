import type { Platform } from '../../../domain/account.ts';
import type { Act, ActEvent } from '../../../domain/earning/act.ts';
import type { GigWatch } from '../../../domain/earning/watch.ts';
import type { PlatformEvent } from '../../../domain/mentions/mention.ts';
import type { StoreTx } from '../../../store/port/index.ts';
import type { JobContext } from '../../context.ts';
import type { EarningCounter } from '../tally.ts';
import { createTexts, readActText, storeSeen, type Texts, toSeen } from './store-acts.ts';
import { createWatchedGigs, type OpenGig, type ReadWatchedGigs, toldUntil } from './watched-gigs.ts';

/** How long the list of watched gigs is used: the next look finds the acts towards newer gigs. */
const REMEMBERED_MS = 1_000;
/** Of so many gigs what an event tells is stored in one transaction: in between, others have their turn. */
const GIGS_AT_ONCE = 50;

export interface ActInbox {
  /** Stores the acts among events; when it returns they are on disk. @returns how many of them were news */
  storeActs(events: readonly PlatformEvent[]): Promise<number>;
  /** Whether any gig on a platform is watched, so that its acts may count. */
  isWatching(platform: Platform): Promise<boolean>;
}

/** The keys are what the gigs are about. */
interface Directory {
  readonly readAt: number;
  readonly byTarget: ReadonlyMap<string, readonly OpenGig[]>;
  readonly byKeyword: ReadonlyMap<string, readonly OpenGig[]>;
}

function toDirectory(open: readonly OpenGig[], readAt: number): Directory {
  const byTarget = new Map<string, OpenGig[]>();
  const byKeyword = new Map<string, OpenGig[]>();
  const add = (all: Map<string, OpenGig[]>, key: string, gig: OpenGig) => {
    const gigs = all.get(key);
    if (gigs === undefined) all.set(key, [gig]);
    else gigs.push(gig);
  };
  for (const gig of open) {
    const { target } = gig;
    if (target.kind === 'keyword') add(byKeyword, target.keyword, gig);
    else add(byTarget, `${target.kind} ${target.kind === 'post' ? target.postId : target.accountId}`, gig);
  }
  return { readAt, byTarget, byKeyword };
}

/** A reply is a submission, too, where its post is a bounty's. */
function asBounty(event: ActEvent): ActEvent[] {
  const { act } = event;
  return act.kind === 'reply' ? [event, { ...event, act: { ...act, kind: 'submission' } }] : [event];
}

/** Each once, in the order in which transactions lock them. */
function concernedBy({ act, towards }: ActEvent, { byTarget, byKeyword }: Directory, texts: Texts): OpenGig[] {
  const text = act.text === null || byKeyword.size === 0 ? null : texts(act.text);
  const worded = text === null ? [] : [...byKeyword].filter(([keyword]) => text.has(keyword));
  const found = [
    ...towards.flatMap(({ kind, id }) => byTarget.get(`${kind} ${id}`) ?? []),
    ...worded.flatMap(([, gigs]) => gigs),
  ];
  const concerned = [...new Set(found)].filter(({ kinds }) => kinds.includes(act.kind));
  return concerned.sort((a, b) => a.gig.id - b.gig.id);
}

/**
 * The act as a look would find it; null for one that is not to be kept. Before the followers of the start are known, a
 * follow may be of one who followed before, and has unfollowed for a moment; afterwards that it is new tells.
 */
function asFound(act: Act, { gig }: OpenGig, { sweptAt }: GigWatch): Act | null {
  if (act.kind !== 'follow') return act;
  if (sweptAt === null) return null;
  return act.actedAt !== null && act.actedAt >= gig.startTime ? act : { ...act, actedAt: null };
}

/** A webhook may be late: an unfollow that is older than the known follow changes nothing. */
async function keepUndone(tx: StoreTx, { gig }: OpenGig, { act, now }: { act: Act; now: number }): Promise<boolean> {
  const { platform } = gig;
  const acts = await tx.observations(gig.id, { platform, platformUserId: act.accountId });
  const known = acts.find(({ kind, objectId }) => kind === act.kind && objectId === act.objectId);
  const at = Math.min(act.actedAt ?? now, now);
  if (known === undefined || at < (known.actedAt ?? known.firstSeenAt)) return false;
  return await tx.noteUndone(gig.id, act, { platform, now: at });
}

interface Told {
  readonly event: ActEvent;
  readonly texts: Texts;
  readonly now: number;
}

/** What comes too early or too late is left to looks and sweeps. */
async function keepFor(tx: StoreTx, open: OpenGig, { event, texts, now }: Told): Promise<number> {
  const { gig, rules } = open;
  const watch = await tx.watch(gig.id);
  // What was seen stands when the target is gone, and a webhook may tell of what was undone before.
  if (watch === null || watch.overAt !== null || watch.goneAt !== null) return 0;
  if (now < gig.startTime || now > toldUntil(open)) return 0;
  if (event.isUndone) return Number(await keepUndone(tx, open, { act: event.act, now }));
  const act = asFound(event.act, open, watch);
  if (act === null) return 0;
  return await storeSeen(tx, gig.id, toSeen({ gig, rules, watch }, { acts: [act], source: 'webhook', now, texts }));
}

/** Receives the acts that webhooks report. They are hints: whatever is lost, doubled or late, looks and sweeps decide. */
export function createActInbox({
  store,
  clock,
  log,
  counter,
}: JobContext & { readonly counter?: EarningCounter }): ActInbox {
  const readGigs = new Map<Platform, ReadWatchedGigs>();
  const directories = new Map<Platform, Directory>();

  async function directoryOf(platform: Platform): Promise<Directory> {
    const now = clock();
    const kept = directories.get(platform);
    if (kept !== undefined && Math.abs(now - kept.readAt) < REMEMBERED_MS) return kept;
    const read = readGigs.get(platform) ?? createWatchedGigs(store);
    readGigs.set(platform, read);
    // Requests that come meanwhile use the older one.
    if (kept !== undefined) directories.set(platform, { ...kept, readAt: now });
    const fresh = toDirectory(await read(platform, now), now);
    directories.set(platform, fresh);
    return fresh;
  }

  async function keep(event: ActEvent, texts: Texts): Promise<number> {
    const concerned = concernedBy(event, await directoryOf(event.platform), texts);
    const told = { event, texts, now: clock() };
    let kept = 0;
    for (let from = 0; from < concerned.length; from += GIGS_AT_ONCE) {
      const some = concerned.slice(from, from + GIGS_AT_ONCE);
      // Texts are hashed here, and not while a transaction keeps the others waiting.
      for (const { target } of some) readActText(event.act, target, texts);
      kept += await store.transaction(
        async (tx) => {
          let sum = 0;
          for (const open of some) sum += await keepFor(tx, open, told);
          return sum;
        },
        { narrow: true },
      );
    }
    counter?.observed('webhook', kept);
    if (kept > 0) log.debug({ platform: event.platform, kind: event.act.kind, gigs: kept }, 'act stored');
    return kept;
  }

  async function storeActs(events: readonly PlatformEvent[]): Promise<number> {
    const acts = events.filter((event) => event.kind === 'act').flatMap(asBounty);
    if (acts.length === 0) return 0;
    const texts = createTexts();
    const kept = await Promise.all(acts.map((event) => keep(event, texts)));
    return kept.reduce((sum, each) => sum + each, 0);
  }

  return {
    storeActs,
    async isWatching(platform) {
      const { byTarget, byKeyword } = await directoryOf(platform);
      return byTarget.size + byKeyword.size > 0;
    },
  };
}
