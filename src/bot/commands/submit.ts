import { type Earning, REOPENED } from '../../domain/earning/earning.ts';
import { readSubmissionHead } from '../../domain/earning/submission.ts';
import { earningSentence, forPublic } from '../../domain/earning/words/earning-words.ts';
import { shortTextWords } from '../../domain/earning/words/reason-words.ts';
import { amountOf } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { minuteText } from '../../domain/time.ts';
import { type Hopeless, prepareSubmission, type Submitted } from '../../services/earning/acts/submit.ts';
import { defineCommand } from '../command.ts';

/** Whether no other entry of the account can change the outcome. */
function isDecided(earning: Earning | null): boolean {
  return earning?.state === 'awarded' || (earning?.state === 'refused' && !REOPENED.has(earning.reason));
}

type Kept = Extract<Submitted, { kind: 'kept' }>;

function hopelessWords(hopeless: Hopeless, { gig, rules: { gates }, earning }: Kept): string {
  if (hopeless.reason === 'own_account') return `You own gig ${gig.id}, so you can't earn from it.`;
  const why = shortTextWords(hopeless.letters, { gates, isOwn: true });
  const earlier = earning === null ? '' : ' An earlier valid entry still counts.';
  return `Your entry for gig ${gig.id} is too short: ${why}.${earlier}`;
}

function keptWords(kept: Kept, now: number): string {
  const { gig, rules, earning, hopeless } = kept;
  const why = `To see the result, mention me with "why ${gig.id}".`;
  if (hopeless !== null && !isDecided(earning)) return hopelessWords(hopeless, kept);
  if (earning === null)
    return `Submitted to gig ${gig.id}. Your account is checked first, then your entry is reviewed. ${why}`;
  const amountText = (amount: bigint) => amountOf(amount, gig.token);
  const context = { gates: rules.gates, ruleType: rules.rule.type, isOwn: true, now, amountText };
  const told = earningSentence(forPublic(earning), context);
  return isDecided(earning)
    ? `Your entry for gig ${gig.id} is decided. ${told}`
    : `Added your entry to gig ${gig.id}. Your earliest valid entry counts. ${why}`;
}

/** The outcome of a submission, for its author. */
export function submittedReply(submitted: Submitted, now: number): string {
  const { gig } = submitted;
  switch (submitted.kind) {
    case 'not_bounty':
      return `Gig ${gig.id} takes no submissions. To see how to earn from it, mention me with "gig ${gig.id}".`;
    case 'manual':
      return `The organizer of gig ${gig.id} awards tips by hand and takes no submissions through me.`;
    case 'elsewhere':
      return `Gig ${gig.id} is on ${platformFacts(gig.platform).label}: submit there.`;
    case 'not_live':
      if (submitted.phase === 'ended')
        return `Gig ${gig.id} ended at ${minuteText(gig.endTime)} and takes no more submissions.`;
      if (submitted.phase === 'cancelled') return `Gig ${gig.id} is cancelled and takes no submissions.`;
      return submitted.phase === 'created'
        ? `Gig ${gig.id} is not started, so it takes no submissions yet.`
        : `Gig ${gig.id} takes submissions from ${minuteText(gig.startTime)}.`;
    case 'kept':
      return keptWords(submitted, now);
  }
}

/** A submission to a bounty; what follows is for those who decide, and never a command. */
export const submitCommand = defineCommand({
  name: 'submit',
  worth: REPLY_WORTH.claim,
  guide: [{ say: 'submit 42 …', who: 'anyone', does: 'Submits what follows to the bounty.' }],
  changes: true,
  readPosted: readSubmissionHead,
  async prepare({ deps, mention, platform: { bot } }, { gigId }) {
    const submitted = await prepareSubmission(deps, { gigId, mention, bot });
    const text = submittedReply(submitted, deps.clock());
    return submitted.kind === 'kept' ? { text, commit: submitted.commit } : { text };
  },
});
