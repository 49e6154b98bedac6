import type { Act, ActSource, Target } from '../../../domain/earning/act.ts';
import { SEEING_GRACE_MS } from '../../../domain/earning/due.ts';
import { rankOf } from '../../../domain/earning/earning.ts';
import { payoutOf } from '../../../domain/earning/rules/index.ts';
import { submittedWords } from '../../../domain/earning/submission.ts';
import type { EarningRules } from '../../../domain/earning/terms/rules.ts';
import { type OpenText, openText } from '../../../domain/earning/text.ts';
import type { GigWatch } from '../../../domain/earning/watch.ts';
import type { NewObservation, Sight, StoreTx } from '../../../store/port/index.ts';
import type { WatchContext, WatchedGig } from '../context.ts';
import type { ActWindow } from './watched-gigs.ts';

/** What must be known of a gig to keep acts towards its target. */
export interface ActedGig {
  readonly gig: ActWindow;
  readonly rules: EarningRules;
  readonly watch: GigWatch;
  /** See {@link WatchedGig}. */
  readonly seeingSince?: number;
}

const NO_TEXT = { textHash: null, plainHash: null, letters: null };

/** The texts of acts that come together: each is opened once, however many gigs it concerns. */
export type Texts = (text: string) => OpenText;

export function createTexts(): Texts {
  const opened = new Map<string, OpenText>();
  return (text) => {
    const known = opened.get(text) ?? openText(text);
    opened.set(text, known);
    return known;
  };
}

/** What is kept of an act's text by a gig about this target. */
export function readActText({ kind, text }: Act, target: Target, texts: Texts) {
  if (text === null) return NO_TEXT;
  const keyword = target.kind === 'keyword' ? target.keyword : null;
  return texts(kind === 'submission' ? submittedWords(text) : text).facts(keyword);
}

/** `plainHash` is the hash by which the text was known before; null when that is the same. */
type SeenAct = NewObservation & { readonly plainHash: string | null };

/** The text is kept as a hash. */
function toObservation(
  act: Act,
  { gig, watch }: ActedGig,
  { firstSeenAt, texts }: { firstSeenAt: number; texts: Texts },
): SeenAct {
  const { target, sweptAt } = watch;
  const rankedAt = rankOf(act, { firstSeenAt, startTime: gig.startTime, sweptAt });
  return { ...act, ...readActText(act, target, texts), rankedAt };
}

/** The search of a platform finds more than whole words. */
function concerns({ watch: { target } }: ActedGig, { text }: Act, texts: Texts): boolean {
  return target.kind !== 'keyword' || (text !== null && texts(text).has(target.keyword));
}

/** What keeping acts found of those that concern the gig. */
export interface StoredActs {
  readonly added: number;
  readonly known: number;
}

/**
 * When acts are seen: never before the sweep by which they are judged, even if the clock was set back. What a webhook
 * tells is known after that, because the sweep need not have seen it.
 */
function sightTime(
  { watch: { sweptAt, sweep }, seeingSince = 0 }: ActedGig,
  { now, source }: { now: number; source: ActSource },
): number {
  const judgedAt = Math.max(sweptAt ?? 0, sweep?.begunAt ?? 0, seeingSince);
  return Math.max(now, source === 'webhook' ? judgedAt + 1 : judgedAt);
}

interface SeenActs {
  readonly found: readonly SeenAct[];
  readonly sight: Sight;
}

/** Those of these acts, given newest first, that concern the gig, as they are stored; the oldest first. */
export function toSeen(
  keeping: ActedGig,
  { acts, source, now, texts = createTexts() }: { acts: readonly Act[]; source: ActSource; now: number; texts?: Texts },
): readonly SeenActs[] {
  const { gig, rules } = keeping;
  const { platform } = gig;
  const seenAt = sightTime(keeping, { now, source });
  const concerned = acts.filter((act) => concerns(keeping, act, texts));
  // The oldest first: of acts with one rank, as follows without a time, the one that came first stays ahead.
  const found = concerned.toReversed().map((act) => toObservation(act, keeping, { firstSeenAt: seenAt, texts }));
  const { dueOf } = payoutOf(rules.rule);
  const dues = Map.groupBy(found, ({ rankedAt }) => dueOf(rules, gig, { firstSeenAt: seenAt, rankedAt }));
  // The earliest first: ids follow the rank, as due times do.
  const inOrder = [...dues].sort(([a], [b]) => a - b);
  // What is done later would keep the gig open as long as people go on.
  const isTooLate = seenAt > gig.endTime + SEEING_GRACE_MS;
  return inOrder.map(([dueAt, found]) => ({ found, sight: { platform, source, now: seenAt, dueAt, isTooLate } }));
}

/** The act with the hash of its text by which an account of the gig was accepted before texts were known by skeletons. */
async function asKnown(tx: StoreTx, gigId: number, { plainHash, ...act }: SeenAct): Promise<NewObservation> {
  const isKnown = plainHash !== null && (await tx.earningTextHolder(gigId, plainHash)) !== null;
  return isKnown ? { ...act, textHash: plainHash } : act;
}

/** Stores acts of a gig as {@link toSeen} gives them. @returns how many were new */
export async function storeSeen(tx: StoreTx, gigId: number, seen: readonly SeenActs[]): Promise<number> {
  let added = 0;
  for (const { found, sight } of seen) {
    const acts: NewObservation[] = [];
    for (const act of found) acts.push(await asKnown(tx, gigId, act));
    added += await tx.storeActs(gigId, acts, sight);
  }
  return added;
}

/** Another process has leased the watch meanwhile: what this one has read is older than what that one knows. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/**
 * Stores acts towards a gig's target, given newest first, as pages are.
 * @param page `askedAt` is when the platform was asked for them: the answer may have come much later
 * @throws LeaseLost
 */
export async function storeActs(
  { store, counter }: WatchContext,
  watched: WatchedGig,
  { acts, source, askedAt }: { acts: readonly Act[]; source: ActSource; askedAt: number },
): Promise<StoredActs> {
  const { gig, watch, lease } = watched;
  const seen = toSeen(watched, { acts, source, now: askedAt });
  const count = seen.reduce((sum, { found }) => sum + found.length, 0);
  if (count === 0) return { added: 0, known: 0 };
  const keep = async (tx: StoreTx) => {
    if (!(await tx.storeWatch(watch, { lease, release: false }))) throw new LeaseLost();
    return await storeSeen(tx, gig.id, seen);
  };
  const added = await store.transaction(keep);
  counter?.observed(source, added);
  return { added, known: count - added };
}
