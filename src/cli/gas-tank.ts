import type { Command } from 'commander';
import { createWriters } from '../chain/registry.ts';
import { createWallets } from '../chain/wallets.ts';
import { ConfigError } from '../config.ts';
import { COMMAND_LINE } from '../domain/actor.ts';
import { DomainError } from '../domain/errors.ts';
import { checksummed } from '../domain/token.ts';
import { acknowledgeTankNonces } from '../services/audits/acknowledge-gas-tank.ts';
import { findMnemonicProblem } from '../services/payments/mnemonic.ts';
import { examples } from './arguments.ts';
import type { Context } from './context.ts';
import { plain } from './output.ts';

async function accept(context: Context, key: string): Promise<void> {
  const { clock } = context;
  const { chains, gigWalletMnemonic } = context.config();
  const found = chains.find(({ chain }) => chain.key === key);
  if (found === undefined) throw new DomainError({ code: 'chain_not_found' });
  if (gigWalletMnemonic === null) throw new DomainError({ code: 'wallets_off' });
  const wallets = createWallets(gigWalletMnemonic);
  const writers = createWriters({ endpoints: chains, wallets, clock });
  const { address, spent, known } = await context.withStore(async (store) => {
    const problem = await findMnemonicProblem(store, wallets);
    if (problem !== null) throw new ConfigError([problem]);
    return await acknowledgeTankNonces(
      { store, writers, wallets, clock },
      { chainId: found.chain.id, actor: COMMAND_LINE },
    );
  });
  const tank = `the gas tank ${checksummed(address)} on ${key}`;
  context.print(
    plain(
      spent > known
        ? `Accepted unrecognized transactions of ${tank}: nonces ${known} to ${spent - 1}. Top-ups continue.`
        : `There was nothing to accept: the database knows all ${spent} nonces of ${tank}.`,
    ),
  );
}

/** `gas-tank accept`: lets the gas tank sign again after unrecognized activity. */
export function addGasTankCommands(program: Command, context: Context): void {
  const tank = program.command('gas-tank').description('the wallet that pays for gas');
  const command = tank
    .command('accept')
    .description(
      'let the gas tank sign again on a chain that has more of its transactions than the database, because its key was ' +
        'used elsewhere or an older backup was restored. First make sure that no other service uses the same mnemonic.',
    )
    .argument('<chain>', 'the key of the chain, as in CHAINS')
    .action((key: string) => accept(context, key));
  examples(command, 'gas-tank accept base');
}
