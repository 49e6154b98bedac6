import { REOPENED } from '../../domain/earning/earning.ts';
import { readSubmissionHead } from '../../domain/earning/submission.ts';
import { earningSentence, forPublic } from '../../domain/earning/words/earning-words.ts';
import { amountOf } from '../../domain/mentions/reply-text.ts';
import { REPLY_WORTH } from '../../domain/mentions/reply-worth.ts';
import { platformFacts } from '../../domain/platforms/platforms.ts';
import { minuteText } from '../../domain/time.ts';
import { prepareSubmission, type Submitted } from '../../services/earning/acts/submit.ts';
import { defineCommand } from '../command.ts';

function keptWords({ gig, rules, earning }: Extract<Submitted, { kind: 'kept' }>, now: number): string {
  const why = `To see the result, mention me with "why ${gig.id}".`;
  if (earning === null)
    return `Submitted to gig ${gig.id}. Your account is checked first, then your entry is reviewed. ${why}`;
  const amountText = (amount: bigint) => amountOf(amount, gig.token);
  const context = { gates: rules.gates, ruleType: rules.rule.type, isOwn: true, now, amountText };
  const told = earningSentence(forPublic(earning), context);
  const isDecided = earning.state === 'awarded' || (earning.state === 'refused' && !REOPENED.has(earning.reason));
  return isDecided
    ? `Your entry for gig ${gig.id} is decided. ${told}`
    : `Submitted to gig ${gig.id} again. Your earliest entry that passes counts. ${why}`;
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
      return `Gig ${gig.id} is earned on ${platformFacts(gig.platform).label}: submit there.`;
    case 'not_live':
      if (submitted.phase === 'ended')
        return `Gig ${gig.id} ended at ${minuteText(gig.endTime)} and takes no more submissions.`;
      if (submitted.phase === 'cancelled') return `Gig ${gig.id} is cancelled and takes no submissions.`;
      return submitted.phase === 'created'
        ? `Gig ${gig.id} is not started, so it takes no submissions yet.`
        : `Gig ${gig.id} takes submissions from ${minuteText(gig.startTime)} on.`;
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
  async prepare({ deps, mention }, { gigId }) {
    const submitted = await prepareSubmission(deps, { gigId, mention });
    const text = submittedReply(submitted, deps.clock());
    return submitted.kind === 'kept' ? { text, commit: submitted.commit } : { text };
  },
});
