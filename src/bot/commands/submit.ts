import { REPLY_WORTH } from '../../domain/reply-worth.ts';
import { readSubmissionHead } from '../../domain/submission-head.ts';
import { prepareSubmission } from '../../services/earning/submit.ts';
import { defineCommand } from '../command.ts';
import { submittedReply } from '../submit-replies.ts';

/** A submission to a bounty; what follows is for those who decide, and never a command. */
export const submitCommand = defineCommand({
  name: 'submit',
  worth: REPLY_WORTH.claim,
  changes: true,
  readPosted: readSubmissionHead,
  async prepare({ deps, mention }, { gigId }) {
    const submitted = await prepareSubmission(deps, { gigId, mention });
    const text = submittedReply(submitted, deps.clock());
    return submitted.kind === 'kept' ? { text, commit: submitted.commit } : { text };
  },
});
