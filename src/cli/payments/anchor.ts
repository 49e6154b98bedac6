import { type Command, InvalidArgumentError } from 'commander';
import type { Chain } from '../../domain/chains/chain.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { createLog } from '../../log.ts';
import { moveAnchorBack } from '../../services/payments/move-anchor.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../services/payments/sender/context.ts';
import { chain, examples } from '../arguments.ts';
import type { Context } from '../context.ts';

function blockNumber(text: string): bigint {
  if (!/^[0-9]{1,15}$/.test(text)) throw new InvalidArgumentError('It must be the number of a block.');
  return BigInt(text);
}

async function moveBack(context: Context, { id, key, name }: Chain, to: bigint): Promise<void> {
  const enabled = context.config().chains.map(({ chain }) => chain.key);
  if (!enabled.includes(key)) throw invalidRequest(`${key} is not enabled: CHAINS names ${enabled.join(', ')}.`);
  const payers = context.payers();
  if (payers === null) throw new DomainError({ code: 'wallets_off' });
  const { clock } = context;
  const log = createLog({ level: 'silent' });
  const { from, takenBack } = await context.withStore(async (store) => {
    const deps = { store, clock, log, timing: SENDER_TIMING, policy: PAYMENT_POLICY };
    return await moveAnchorBack(deps, payers.payer(id), { to, actor: COMMAND_LINE });
  });
  context.print(`The ledger counts on block ${to} of ${name}, no longer on block ${from.number}.`);
  if (takenBack.length === 0) return;
  const ids = takenBack.map((payment) => payment.id).join(', ');
  context.print(`The chain does not show these payments, which are planned again under their numbers: ${ids}.`);
}

/** `payment anchor`: has the ledger count on an earlier block of a chain. */
export function addAnchorCommand(payments: Command, context: Context): void {
  const command = payments
    .command('anchor')
    .description(
      'have the ledger count on an earlier block, after it followed an endpoint of a fork: payments wait until the chain is ' +
        'as far as that block. Payments confirmed from there on are read anew; payments that the chain does not show are planned ' +
        'again under their numbers. Take the wrong endpoint out of RPC_URL_<chain id> before',
    )
    .argument('<chain>', 'such as base', chain)
    .requiredOption('--to <block>', 'a block before the branches part', blockNumber)
    .action((on: Chain, { to }: { to: bigint }) => moveBack(context, on, to));
  examples(command, 'payment anchor base --to 31000000');
}
