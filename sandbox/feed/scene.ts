import { awardTip, BY_HAND, openGig } from '../page/acts.ts';
import type { Result } from '../page/outcomes.ts';
import type { Scene } from '../page/player.ts';
import type { World } from '../page/stage.ts';
import { tokenText } from '../page/words.ts';
import { person, SPONSOR } from '../people.ts';
import { StepError } from '../step-error.ts';
import type { Card } from './card.ts';
import { fetchCard, sendTap } from './client.ts';

/** Where the button that claims leads. */
function claimTarget({ ui }: Card): string | null {
  const claim = [...ui.elements.values()].find(({ type, props }) => type === 'button' && props['label'] === 'Claim');
  const target = claim?.on.press?.params['target'];
  return typeof target === 'string' ? target : null;
}

/** Whether two taps have paid the tip of the gig once; null while its payment is open. */
export function tappedTwice({ records }: Pick<World, 'records'>, author: string, gigId: number): Result | null {
  const payouts = [...records.payments.values()].filter((one) => one.kind === 'payout' && one.gigId === gigId);
  const [payout] = payouts;
  if (payout === undefined || payouts.some(({ state }) => state !== 'confirmed' && state !== 'failed')) return null;
  const source = [...records.claims.values()].find(({ id }) => id === payout.claimId)?.source;
  const asMeant = payouts.length === 1 && payout.state === 'confirmed' && source === 'snap';
  const paid = `${author} was paid ${tokenText(payout.amount, payout.token)} by a tap, without a post or a sign-in`;
  const otherwise = `${payouts.length} payments of gig ${gigId}, the first ${payout.state} for a claim by ${source}`;
  return { text: asMeant ? `${paid}. The second tap paid nothing more.` : `${otherwise}.`, asMeant };
}

/** A gig in the feed, which alice claims from by a tap on its card. */
export const TAP_SCENE: Scene = {
  name: 'tap',
  title: 'Cards in the feed',
  text: 'acme casts a gig, and the feed shows its card. alice taps “Claim” twice at once and is paid once. Then tap it as bob.',
  button: 'Cast a gig and tap as alice',
  link: { href: () => '/feed?as=bob', label: 'Open the feed as bob' },
  act: async (stage) => {
    const gigId = await openGig(stage, BY_HAND);
    await awardTip(stage, gigId, 'alice', '2');
    await awardTip(stage, gigId, 'bob', '1');
    const url = `${stage.places.service}/gigs/${gigId}`;
    const text = `Gig ${gigId} has paid its first tips.`;
    const cast = stage.networks.farcaster.post({ author: SPONSOR.username, text, embeds: [url] });
    const card = await fetchCard(url);
    const target = card === null ? null : claimTarget(card);
    if (target === null) throw new StepError(`${url} has no card with a button to claim.`);
    const tap = { who: person('alice'), cast, target, at: stage.time.now() };
    const answers = await Promise.all([sendTap(tap), sendTap(tap)]);
    const problem = answers.flatMap((answer) => ('problem' in answer ? answer.problem : []))[0];
    if (problem !== undefined) throw new StepError(problem);
    stage.story.tell({ scene: 'Farcaster', text: `alice tapped “Claim” on the card of gig ${gigId}, twice at once.` });
    const message = `alice is done with gig ${gigId}.`;
    return { message, gigId, outcome: (world) => tappedTwice(world, 'alice', gigId) };
  },
};
