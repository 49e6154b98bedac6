import { plain } from '../../../domain/plain-text.ts';
import { isSilent } from './chains.ts';
import { aboutGig, defineCondition } from './define-condition.ts';

/**
 * The last audit of a gig did not succeed; `reason` is a clause. Those that lack only the answer of a chain that does not
 * answer at all are left out.
 */
export const auditFailed = defineCondition({
  kind: 'audit_failed',
  reach: 'gig',
  check: { name: 'audits', well: 'No audit has failed' },
  say: ({ gigId, reason }: { gigId: number; reason: string }) => ({
    ...aboutGig(gigId),
    text: `The audit of gig ${gigId} failed: ${plain(reason)}`,
    remedy: `Run npm run admin -- reconcile ${gigId}: it audits the gig again and says what it finds.`,
  }),
  async find(context, tell) {
    const silent = context.chains.list().filter((reader) => isSilent(reader, context));
    const isOfSilent = (chainId: number) => silent.some(({ chain }) => chain.id === chainId);
    const faults = await context.store.auditFaults();
    return faults.filter(({ isUnanswered, chainId }) => !(isUnanswered && isOfSilent(chainId))).map(tell);
  },
});
