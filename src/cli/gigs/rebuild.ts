import { type Command, InvalidArgumentError } from 'commander';
import { createPayerChains } from '../../chain/registry.ts';
import { createWallets } from '../../chain/wallets.ts';
import { ConfigError } from '../../config.ts';
import { formatAmount } from '../../domain/amount.ts';
import { DomainError, invalidRequest } from '../../domain/errors.ts';
import { tokenJson } from '../../domain/facts/fact.ts';
import { addressField } from '../../domain/fields.ts';
import { checksummed, NATIVE_TOKEN_ADDRESS } from '../../domain/gigs/token.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import type { RebuildContext } from '../../services/audits/context.ts';
import { type Rebuilding, type RebuiltGig, rebuildGigs } from '../../services/audits/rebuild-gigs.ts';
import type { NamedToken } from '../../services/audits/rebuild-token.ts';
import { skipGigIds } from '../../services/gigs/gig-ids.ts';
import { recordMnemonic } from '../../services/payments/mnemonic.ts';
import { by, chain, examples, id, instant, jsonOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printJson } from '../output.ts';

const USUAL_GAP = 2_500;
const USUAL_STEPS = 1_000;

const UNKNOWN =
  'No chain holds these, so they stay unknown: unpaid tips, accounts, owners, texts, rules, times, clients and refund addresses.';

interface Options {
  readonly token: readonly NamedToken[];
  readonly gigToken: ReadonlyMap<number, NamedToken>;
  readonly since?: number | null;
  readonly all: boolean;
  readonly to?: number | null;
  readonly gap: number;
  readonly thousands: number;
  readonly json: boolean;
}

function namedToken(text: string): NamedToken {
  const [key = '', address = '', ...more] = text.split(':');
  if (address === '' || more.length > 0) {
    throw new InvalidArgumentError(
      'It must be <chain>:<address>, such as base:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913.',
    );
  }
  return { chain: chain(key), address: by(addressField('token'))(address) };
}

function addToken(text: string, before: readonly NamedToken[]): NamedToken[] {
  return [...before, namedToken(text)];
}

function addGigToken(text: string, before: ReadonlyMap<number, NamedToken>): Map<number, NamedToken> {
  const [, gigId, token] = /^([1-9][0-9]{0,9}):([^:]+:[^:]+)$/.exec(text) ?? [];
  if (gigId !== undefined && token !== undefined) return new Map([...before, [Number(gigId), namedToken(token)]]);
  throw new InvalidArgumentError('It must be a gig, a chain and an address, such as 42:base:0x8335…2913.');
}

function gap(text: string): number {
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999999.');
}

function toItem({ gig, moved, payments, held, notes }: RebuiltGig) {
  const { token } = gig;
  const amount = (units: bigint) => formatAmount(units, token.decimals);
  return {
    gig_id: gig.id,
    ...tokenJson(token),
    wallet_address: checksummed(gig.walletAddress),
    payments,
    paid: amount(moved),
    held: amount(held),
    notes,
  };
}

function lineOf({ gig_id: gigId, chain: on, token, payments, paid, held }: ReturnType<typeof toItem>): string {
  const made = `${payments} ${payments === 1 ? 'payment' : 'payments'} of ${paid} ${token.symbol}`;
  return `gig ${gigId} on ${on}: ${made}, ${held} ${token.symbol} in the wallet; frozen until gig unfreeze ${gigId}`;
}

/** `stepsTo` is null when the operator said how far to look. */
function lookedText({ lookedTo, stepsTo }: Rebuilding['looked']): string[] {
  if (stepsTo === null) return [];
  return [
    `The search covered every id up to ${lookedTo}, and the first 20 of each thousand up to ${stepsTo}. To find gigs with other ids, name the highest id that logs or clients know with --to.`,
  ];
}

function complaints({ leftOut, unproved, looked }: Rebuilding): string[] {
  return [
    ...lookedText(looked),
    ...leftOut.map(({ gigId, wallet, chain: on, reason }) => {
      return `gig ${gigId} on ${on.key} is left out, with its wallet ${checksummed(wallet)}: ${reason}.`;
    }),
    ...unproved.map(({ name }) => {
      return `The endpoint of ${name} has no data from before --since, so earlier payments may be missing.`;
    }),
  ];
}

/** A misspelt address would find nothing, and say nothing. */
async function requireTokens(context: Context, tokens: readonly NamedToken[]): Promise<void> {
  const chains = context.chains();
  const enabled = chains.list().map((reader) => reader.chain);
  for (const token of tokens) {
    if (!enabled.some(({ id }) => id === token.chain.id)) {
      const keys = enabled.map(({ key }) => key).join(', ');
      throw invalidRequest(`--token: ${token.chain.key} is not enabled: CHAINS names ${keys}.`);
    }
    if (token.address === NATIVE_TOKEN_ADDRESS) continue;
    const native = { address: NATIVE_TOKEN_ADDRESS, isNative: true };
    const { hasCode } = await chains.reader(token.chain.id).useOf({ owner: token.address, token: native });
    const where = `${checksummed(token.address)} on ${token.chain.key}`;
    if (!hasCode) throw invalidRequest(`--token: there is no contract at ${where}; check the address and the chain.`);
  }
}

async function rebuild(
  context: Context,
  wanted: number | undefined,
  { token: tokens, gigToken: gigTokens, since = null, all, to = null, gap, thousands: steps, json }: Options,
): Promise<void> {
  if (all === (wanted !== undefined)) throw invalidRequest('Name one gig, such as gig rebuild 42, or --all.');
  if (wanted !== undefined && to !== null) throw invalidRequest('--to goes with --all.');
  const { clock } = context;
  const { gigWalletMnemonic } = context.config();
  if (gigWalletMnemonic === null) throw new DomainError({ code: 'wallets_off' });
  const wallets = createWallets(gigWalletMnemonic);
  await requireTokens(context, [...tokens, ...gigTokens.values()]);
  const payers = createPayerChains({ ...context.endpoints(), wallets });
  const { progress } = context;
  const asked: Omit<RebuildContext, 'store'> = {
    payers,
    chains: context.chains(),
    wallets,
    clock,
    actor: COMMAND_LINE,
    onLooked: (done, total) => progress.count('wallets', done, total),
    onRead: (done, total) => progress.count('gigs', done, total),
  };
  const rebuilt = await context.withStore(
    async (store) => {
      const problem = await recordMnemonic({ store, clock }, wallets);
      if (problem !== null) throw new ConfigError([problem]);
      return await rebuildGigs({ ...asked, store }, { tokens, gigTokens, since, only: wanted ?? null, to, gap, steps });
    },
    { create: 'untilFailure' },
  );
  const items = rebuilt.gigs.map(toItem);
  if (json) printJson(context, items);
  else if (items.length + rebuilt.leftOut.length === 0)
    context.print('No wallet of an unknown gig was used on an enabled chain.');
  else {
    for (const item of items) {
      context.print(plain(lineOf(item)));
      for (const note of item.notes) context.print(`    ${plain(note)}`);
    }
    if (items.length > 0) context.print(UNKNOWN);
  }
  for (const line of complaints(rebuilt)) context.fail(plain(line));
}

/** `gig rebuild`: the gigs of a lost database, from their chains. */
export function addRebuildCommand(gig: Command, context: Context): void {
  const command = gig
    .command('rebuild')
    .description(
      'rebuild gigs that the database has lost from their chains, also into a new database: their wallets, tokens, payments ' +
        'and unspent money. Gigs that the database has stay unchanged. Tips, accounts and texts are on no chain. Each rebuilt ' +
        'gig is frozen, live and open for 30 days: award its unpaid tips again, then run gig unfreeze. No tip gets a number ' +
        'that was paid.',
    )
    .argument('[gig]', 'one gig by its id', id('logs and clients know it'))
    .option('--all', 'every gig that the database does not have', false)
    .option('--to <id>', 'the highest id that logs or clients know: every id up to it is looked at', id('such as 5210'))
    .option(
      '--token <chain:address>',
      'look for what wallets hold of this token; name each that gigs were in, because a wallet that has paid nothing shows it in no other way',
      addToken,
      [],
    )
    .option(
      '--gig-token <gig:chain:address>',
      'the token of a gig whose wallet has paid nothing and holds several',
      addGigToken,
      new Map(),
    )
    .option('--since <date>', 'when the service began, which saves thousands of requests on busy chains', instant)
    .option(
      '--gap <count>',
      'after so many unused wallets in a row, look at the first 20 of each of the next thousands of ids',
      gap,
      USUAL_GAP,
    )
    .option('--thousands <count>', 'at so many thousands of ids it looks then', gap, USUAL_STEPS)
    .addOption(jsonOption('array'))
    .action((wanted: number | undefined, options: Options) => rebuild(context, wanted, options));
  examples(
    command,
    'gig rebuild --all --to 5210 --since 2026-01-01',
    'gig rebuild 42',
    'gig rebuild --all --token base:0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  );
}

async function skipIds(context: Context, { past = null }: { past?: number | null }): Promise<void> {
  const { clock } = context;
  const { first, last } = await context.withStore((store) =>
    skipGigIds({ store, clock }, { past, actor: COMMAND_LINE }),
  );
  context.print(`Gig ids ${first} to ${last} are skipped: the next gig gets ${last + 1}.`);
}

/** `gig skip-ids`: has ids go on later, so that no wallet is given twice. */
export function addSkipIdsCommand(gig: Command, context: Context): void {
  const command = gig
    .command('skip-ids')
    .description(
      'skip gig ids, at least 1,000, so that no new gig gets the wallet of one that the database has lost. The service does so ' +
        'by itself when it notices an older database; run this before the first start after the whole machine, or the folder of ' +
        'the database, was put back to a moment less than an hour ago.',
    )
    .option(
      '--past <id>',
      'go on after this id instead, the highest that logs or clients know',
      id('logs and clients know it'),
    )
    .action((options: { past?: number }) => skipIds(context, options));
  examples(command, 'gig skip-ids', 'gig skip-ids --past 5210');
}
