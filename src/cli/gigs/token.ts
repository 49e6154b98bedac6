import type { Command } from 'commander';
import type { Chain } from '../../domain/chains/chain.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { TOKEN_FACTS } from '../../domain/facts/token-facts.ts';
import { addressField } from '../../domain/fields.ts';
import { type Address, checksummed, type Token } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { allowToken, findOrAddToken, offerToken } from '../../services/gigs/terms/tokens.ts';
import { offerX402Token } from '../../services/x402/tokens.ts';
import { by, chain, coingeckoId, examples, jsonOption, tableOptions, webUrl } from '../arguments.ts';
import type { Context } from '../context.ts';
import { factColumns, factItem } from '../facts.ts';
import { plain } from '../output.ts';
import { type ListView, printList, type Table } from '../table.ts';

interface Extras {
  readonly imageUrl?: string;
  readonly coingeckoId?: string;
}

function describe(token: Token, { key }: Chain): string {
  const extras = [
    ...(token.imageUrl === '' ? [] : [`image ${token.imageUrl}`]),
    ...(token.coingeckoId === null ? [] : [`CoinGecko id ${token.coingeckoId}`]),
  ];
  const facts = [`${token.decimals} decimals`, `${checksummed(token.address)} on ${key}`, ...extras];
  return plain(`${token.symbol} (${token.name}), ${facts.join(', ')}`);
}

/** A stored token keeps its values, so different ones are refused rather than ignored. */
function refuseChange(known: Token, extras: Extras): void {
  const changed = [
    extras.imageUrl !== undefined && extras.imageUrl !== known.imageUrl ? '--image-url' : null,
    extras.coingeckoId !== undefined && extras.coingeckoId !== known.coingeckoId ? '--coingecko-id' : null,
  ].filter((option) => option !== null);
  if (changed.length === 0) return;
  throw invalidRequest(
    `Token ${known.id} (${plain(known.symbol)}) exists already and cannot be changed: leave out ${changed.join(' and ')}.`,
  );
}

async function addToken(context: Context, request: { on: Chain; address: Address; extras: Extras }): Promise<void> {
  const { on, address, extras } = request;
  const chains = context.chains();
  const enabled = chains.list().map((reader) => reader.chain.key);
  if (!enabled.includes(on.key)) {
    throw invalidRequest(`chain: ${on.key} is not enabled here; add it to CHAINS, which has ${enabled.join(', ')}.`);
  }
  await context.withStore(async (store) => {
    const known = await store.token(on.id, address);
    if (known !== null) {
      refuseChange(known, extras);
      context.print(`Token ${known.id} exists already: ${describe(known, on)}`);
      return;
    }
    const request = { chain: on, address, ...extras, actor: COMMAND_LINE };
    const token = await findOrAddToken({ store, chains, payers: context.payers(), clock: context.clock }, request);
    context.print(`Token ${token.id} added: ${describe(token, on)}`);
  });
}

async function allow(context: Context, request: { on: Chain; address: Address; isAllowed: boolean }): Promise<void> {
  const { on: chain, address, isAllowed } = request;
  const { clock } = context;
  const token = await context.withStore((store) =>
    allowToken({ store, clock }, { chain, address, isAllowed, actor: COMMAND_LINE }),
  );
  const then = isAllowed ? 'may take more gas than others' : 'may take as much gas as others';
  context.print(plain(`Payments in token ${token.id} ${then}: ${describe(token, chain)}`));
}

function addAllowCommand(token: Command, context: Context, { isAllowed }: { isAllowed: boolean }): void {
  const name = isAllowed ? 'allow' : 'disallow';
  const command = token
    .command(name)
    .description(
      isAllowed
        ? 'let payments in a token take more than 200,000 gas. Read its contract first: the gas tank pays for it.'
        : 'let payments in a token take no more gas than others again',
    )
    .argument('<chain>', 'the key of the chain, such as base', chain)
    .argument('<address>', "the token's contract", by(addressField('address')))
    .action((on: Chain, address: Address) => allow(context, { on, address, isAllowed }));
  examples(command, `token ${name} base 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed`);
}

async function offer(context: Context, request: { on: Chain; address: Address; isOffered: boolean }): Promise<void> {
  const { on: chain, address, isOffered } = request;
  const { clock } = context;
  const token = await context.withStore((store) =>
    offerToken({ store, clock }, { chain, address, isOffered, actor: COMMAND_LINE }),
  );
  const then = isOffered ? 'may choose' : 'may no longer choose';
  context.print(plain(`Owners ${then} token ${token.id}: ${describe(token, chain)}`));
}

/** The contract itself tells what payers sign by. */
async function offerX402(
  context: Context,
  request: { on: Chain; address: Address; isOffered: boolean },
): Promise<void> {
  const { on: chain, address, isOffered } = request;
  const { clock } = context;
  const chains = context.deposits();
  if (chains === null) throw new DomainError({ code: 'wallets_off' });
  const token = await context.withStore((store) =>
    offerX402Token({ store, clock, x402: { chains } }, { chain, address, isOffered, actor: COMMAND_LINE }),
  );
  const then = isOffered ? 'can be created and paid for' : 'can no longer be created and paid for';
  context.print(plain(`Gigs ${then} by x402 in token ${token.id}: ${describe(token, chain)}`));
}

function addOfferCommand(token: Command, context: Context, { isOffered }: { isOffered: boolean }): void {
  const name = isOffered ? 'offer' : 'withdraw';
  const command = token
    .command(name)
    .description(
      isOffered
        ? 'let owners choose a token for gigs that they create in the console. The coins of enabled chains are always offered.'
        : 'let owners choose a token no longer; the gigs that pay in it go on',
    )
    .argument('<chain>', 'the key of the chain, such as base', chain)
    .argument('<address>', "the token's contract", by(addressField('address')))
    .option('--x402', 'for gigs that are paid for in their creation, instead; the USDC of a chain always is')
    .action((on: Chain, address: Address, { x402 }: { x402?: boolean }) =>
      (x402 ? offerX402 : offer)(context, { on, address, isOffered }),
    );
  const example = `token ${name} base 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed`;
  examples(command, example, `${example} --x402`);
}

const OFFERED_TABLE: Table<Token> = {
  id: ({ id }) => id,
  ...factColumns(TOKEN_FACTS, { address: { cut: 'middle' }, name: { cut: 'end' } }),
};

function addOfferedCommand(token: Command, context: Context): void {
  const command = token.command('offered').description('the tokens that owners may choose, beside the coins of chains');
  const lister = tableOptions(command.addOption(jsonOption('array')), OFFERED_TABLE).action(async (view: ListView) => {
    const tokens = await context.withStore((store) => store.offeredTokens());
    const empty = 'No token is offered: owners may choose the coins of the enabled chains.';
    printList(context, tokens, { view, empty, item: factItem(TOKEN_FACTS), table: OFFERED_TABLE });
  });
  examples(lister, 'token offered');
}

/** `token add|allow|disallow|offer|withdraw|offered`: the tokens that gigs can pay in. */
export function addTokenCommands(program: Command, context: Context): void {
  const command = program.command('token').description('the tokens that gigs pay in');
  const add = command
    .command('add')
    .description(
      'add a token, with the name, symbol and decimals of its contract. ' +
        'A gig adds a new token by itself; only this command sets an image and a CoinGecko id.',
    )
    .argument('<chain>', 'the key of an enabled chain, such as base', chain)
    .argument(
      '<address>',
      "the token's contract; 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE stands for the chain's own coin",
      by(addressField('address')),
    )
    .option('--image-url <url>', 'a picture of the token for clients to show', webUrl)
    .option('--coingecko-id <id>', "the token's id on CoinGecko, for clients that show prices", coingeckoId)
    .action((on: Chain, address: Address, extras: Extras) => addToken(context, { on, address, extras }));
  examples(
    add,
    'token add base 0x4ed4E862860beD51a9570b96d89aF5E1B0Efefed --coingecko-id degen-base',
    'token add base 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
  );

  addAllowCommand(command, context, { isAllowed: true });
  addAllowCommand(command, context, { isAllowed: false });
  addOfferCommand(command, context, { isOffered: true });
  addOfferCommand(command, context, { isOffered: false });
  addOfferedCommand(command, context);
}
