import { ConfigError } from '../config.ts';
import { LabelsUnreadable } from '../domain/earning/labels.ts';
import { AdapterError, DomainError, type Refusal, type Unsettleable } from '../domain/errors.ts';
import { closedWords } from '../domain/gigs/gig-end.ts';
import { platformFacts } from '../domain/platforms/platforms.ts';
import { StoreUnusable } from './context.ts';
import { plain } from './output.ts';

const NOT_SETTLEABLE = {
  created: 'Gig # has not started; gig cancel ends it.',
  cancelled: 'Gig # is cancelled.',
  running: 'Gig # has not ended; gig stop ends it now.',
  undecided: 'Gig # cannot be settled yet: some of its accounts, shares or acts are undecided; see gig earnings #.',
  settled: 'Gig # is settled already.',
} as const satisfies Record<Unsettleable, string>;

/** Why a gig cannot be settled now, as a sentence. */
export function unsettleableText(gigId: number, why: Unsettleable): string {
  return NOT_SETTLEABLE[why].replaceAll('#', String(gigId));
}

function refusalText(refusal: Refusal): string {
  switch (refusal.code) {
    case 'invalid_request':
      return refusal.message;
    case 'validation_failed':
      return refusal.details.map((problem) => plain(problem)).join('\n');
    case 'gig_not_found':
      return `There is no gig ${refusal.gigId}; see gig list.`;
    case 'token_not_found':
      return `There is no ERC-20 token at ${refusal.address} on ${refusal.chainKey}; check the address and the chain.`;
    case 'chain_not_found':
      return 'There is no such chain; CHAINS names those that are enabled.';
    case 'account_not_found':
      return `${platformFacts(refusal.platform).label} has no account with the handle ${refusal.username}.`;
    case 'not_a_claim':
    case 'invalid_address':
    case 'several_addresses':
    case 'no_address':
    case 'no_verified_address':
    case 'post_too_old':
    case 'post_not_found':
    case 'platform_off':
    case 'no_tips':
      return `The claim cannot be made: ${refusal.code.replaceAll('_', ' ')}.`;
    case 'wallets_off':
      return 'This needs the wallets of gigs: set GIG_WALLET_MNEMONIC, as the service has it, in .env or in the environment.';
    case 'webhook_not_found':
      return `There is no webhook ${refusal.webhookId}.`;
    case 'too_many_webhooks':
      return 'The client has the most webhooks that it may have; delete one first.';
    case 'invalid_cursor':
      return `The cursor names no event of this ledger; read again from ${refusal.readFrom}.`;
    case 'signing_off':
      return 'This needs the key that signs events: set SIGNING_KEY, as the service has it, in .env or in the environment.';
    case 'gig_already_live':
      return `Gig ${refusal.gigId} is live already.`;
    case 'gig_ended':
      return `Gig ${refusal.gigId} has ended already.`;
    case 'gig_cancelled':
      return `Gig ${refusal.gigId} is cancelled.`;
    case 'gig_not_stoppable':
      return refusal.phase === 'created'
        ? `Gig ${refusal.gigId} has not started; gig cancel ends it.`
        : `Gig ${refusal.gigId} ${refusal.phase === 'ended' ? 'has ended' : 'is cancelled'} already.`;
    case 'gig_not_settleable':
      return unsettleableText(refusal.gigId, refusal.why);
    case 'gig_in_progress':
      return `Gig ${refusal.gigId} is being started at this moment; try again in a minute.`;
    case 'gig_not_funded':
      return `Gig ${refusal.gigId} is not funded; see gig show ${refusal.gigId}.`;
    case 'not_gig_owner':
    case 'owners_may_not':
    case 'session_too_new':
      return `Only an owner of gig ${refusal.gigId} may do that.`;
    case 'gig_not_running':
      return `Gig ${refusal.gigId} ${closedWords(refusal.phase)}.`;
    case 'tips_by_rules_only':
      return `Gig ${refusal.gigId} awards tips by its rules alone.`;
    case 'reward_exceeded':
      return `Gig ${refusal.gigId} has ${refusal.left} ${refusal.symbol} left to award.`;
    case 'invalid_api_key':
      return 'The API key is not valid.';
    case 'scope_missing':
      return `The API key lacks the scope ${refusal.scope}.`;
    case 'key_reused':
      return 'The idempotency key was used for another request: use a new key, or send the same request again.';
  }
}

/** The operator's error message: a sentence for what the operator can fix, or a stack trace for a defect. */
export function failureText(error: unknown): string {
  if (error instanceof DomainError) return refusalText(error.refusal);
  if (error instanceof ConfigError || error instanceof StoreUnusable) return error.message;
  if (error instanceof LabelsUnreadable) return `SPAM_LABELS_FILE: ${error.message}`;
  // The message may quote a platform or an endpoint.
  if (error instanceof AdapterError) return plain(error.message);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
