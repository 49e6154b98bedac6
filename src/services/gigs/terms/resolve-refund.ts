import type { Address } from '../../../domain/gigs/token.ts';
import { type EnsName, isEnsName } from '../../../domain/names/ens-name.ts';
import { refuseField } from '../../../domain/validation.ts';
import type { NameContext } from '../../context.ts';

/** Where the funds of a gig return to, and the name that was given for it; null where an address was given. */
export interface RefundPlace {
  readonly refundAddress: Address | null;
  readonly refundName: EnsName | null;
}

/**
 * Finds the address of a refund address that is given by its name.
 * @throws DomainError `validation_failed` where names are off, or the name leads nowhere
 * @throws AdapterError when the chain of names does not answer
 */
export async function resolveRefund({ names }: NameContext, given: Address | EnsName | null): Promise<RefundPlace> {
  if (given === null || !isEnsName(given)) return { refundAddress: given, refundName: null };
  const field = 'refund_address';
  if (names === undefined) refuseField(field, `${field} must be an address, 0x and 40 hex digits: names are off here`);
  const found = await names.resolve(given);
  if (found === 'unset') refuseField(field, `${field} must be an address: ${given} leads to none`);
  if (found === 'unanswered') {
    refuseField(field, `${field} must be an address: the server that keeps ${given} does not answer`);
  }
  return { refundAddress: found.address, refundName: given };
}
