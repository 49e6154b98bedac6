import type { Command } from 'commander';
import { createPayerChains } from '../../chain/registry.ts';
import { createWallets, type Wallets } from '../../chain/wallets.ts';
import { ConfigError } from '../../config.ts';
import { AdapterError, DomainError } from '../../domain/errors.ts';
import { COMMAND_LINE } from '../../domain/operators/actor.ts';
import { createLog } from '../../log.ts';
import { watchAdoptions } from '../../services/audits/adoptions.ts';
import type { AuditContext, LostContext } from '../../services/audits/context.ts';
import { type Proof, proveWallets } from '../../services/audits/end-stop.ts';
import { findLost } from '../../services/audits/find-lost.ts';
import { reconcileGigs } from '../../services/audits/reconcile.ts';
import { findMnemonicProblem } from '../../services/payments/mnemonic.ts';
import { PAYMENT_POLICY, SENDER_TIMING } from '../../services/payments/sender/context.ts';
import type { Store } from '../../store/port/index.ts';
import { examples, id, jsonOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain, printJson } from '../output.ts';
import { headline, type Item, reconciledItem } from './reconcile-view.ts';

function summary(items: readonly Item[]): string[] {
  const of = `of ${items.length} ${items.length === 1 ? 'gig' : 'gigs'}`;
  const wrong = items.filter((item) => item.adds_up === false).length;
  const unknown = items.filter((item) => item.error !== null).length;
  const unproved = items.filter((item) => item.adds_up === null && item.error === null).length;
  return [
    ...(wrong === 0
      ? []
      : [`${wrong} ${of} ${wrong === 1 ? 'does not add up and pays' : 'do not add up and pay'} nothing.`]),
    ...(unknown === 0 ? [] : [`${unknown} ${of} could not be checked.`]),
    ...(unproved === 0 ? [] : [`The audit of ${unproved} ${of} is inconclusive; run it again.`]),
  ];
}

function lines(item: Item): string[] {
  const more = [...item.problems, ...item.unproved, ...item.notes];
  return [plain(headline(item)), ...more.map((line) => `    ${plain(line)}`)];
}

/** What an audit works with. @throws ConfigError when the mnemonic is not the store's */
export async function auditContext(context: Context, store: Store): Promise<AuditContext & { wallets: Wallets }> {
  const { clock } = context;
  const { gigWalletMnemonic } = context.config();
  if (gigWalletMnemonic === null) throw new DomainError({ code: 'wallets_off' });
  const wallets = createWallets(gigWalletMnemonic);
  const problem = await findMnemonicProblem(store, wallets);
  if (problem !== null) throw new ConfigError([problem]);
  const payers = createPayerChains({ ...context.endpoints(), wallets });
  const log = createLog({ level: 'silent' });
  const onAudited: AuditContext['onAudited'] = (done, total) => context.progress.count('gigs', done, total);
  return {
    store,
    onAudited,
    payers,
    wallets,
    clock,
    log,
    timing: SENDER_TIMING,
    policy: PAYMENT_POLICY,
    actor: COMMAND_LINE,
  };
}

const STAYS_STOPPED =
  'All payments stay stopped, because the database is on another server than before: see the gigs above, and run it again. ' +
  'With --accept-frozen payments go on although gigs that are frozen do not add up or cannot be audited: they stay frozen. ' +
  'Freeze what cannot be audited with gig freeze.';

const REFUNDS_WAIT =
  'Refunds and returns still wait, because the database may be an older copy: see the gigs above, and run it again. With ' +
  '--accept-frozen they go on although gigs that are frozen do not add up.';

/** One gig alone does not prove what all payments wait for. */
async function audit(
  deps: AuditContext,
  { gigId, acceptFrozen }: { gigId: number | undefined; acceptFrozen: boolean },
): Promise<Proof> {
  if (gigId === undefined) return await proveWallets(deps, { acceptsFrozen: acceptFrozen });
  return { results: await reconcileGigs(deps, { gigId }), stop: 'none', refunds: 'none' };
}

/** Not called for one gig alone, which says nothing about others. */
async function lostLines(deps: LostContext): Promise<{ told: string[]; failed: string[] }> {
  try {
    const { paid, unknown } = await findLost(deps);
    return {
      told: paid.map(({ text }) => `${text}.`),
      failed: unknown.map(({ text, remedy }) => `${text}. ${remedy}`),
    };
  } catch (error) {
    if (!(error instanceof AdapterError)) throw error;
    return { told: [], failed: [`It is not known whether gigs are lost: ${error.message}`] };
  }
}

async function reconcile(
  context: Context,
  gigId: number | undefined,
  options: { json: boolean; acceptFrozen: boolean },
): Promise<void> {
  const { items, stop, refunds, lost } = await context.withStore(async (store) => {
    const deps = await auditContext(context, store);
    const watch = await watchAdoptions(store);
    const { results, stop, refunds } = await audit(deps, { gigId, ...options });
    const taken = await watch();
    const asked = { ...deps, chains: context.chains() };
    const lost = gigId === undefined ? await lostLines(asked) : { told: [], failed: [] };
    return {
      stop,
      refunds,
      lost,
      items: results.map((result) => reconciledItem(result, taken.get(result.gig.id) ?? 0)),
    };
  });
  if (options.json) {
    printJson(context, items);
  } else {
    if (items.length === 0) context.print('No gig is live.');
    for (const line of items.flatMap(lines)) context.print(line);
    for (const line of lost.told) context.print(plain(line));
    if (stop === 'ended') context.print('All payments go on.');
    if (refunds === 'ended') context.print('Refunds and returns go on.');
  }
  for (const line of summary(items)) context.fail(line);
  for (const line of lost.failed) context.fail(plain(line));
  if (stop === 'stays') context.fail(STAYS_STOPPED);
  if (refunds === 'stays') context.fail(REFUNDS_WAIT);
}

/** `reconcile`: audits every gig that has gone live. */
export function addReconcileCommand(program: Command, context: Context): void {
  const command = program
    .command('reconcile')
    .description(
      'verify on the chain that the wallet of every started gig has paid what the ledger says, and holds its funding minus ' +
        'that. Payments that the ledger does not know are added to it and listed. A gig that does not add up is frozen and pays ' +
        'nothing, until it adds up again. A surplus in a wallet is reported but does not freeze the gig, because anyone can ' +
        'send tokens to it. The service does the same every hour. Without a gig it also names what the database has lost: ' +
        'payments of unknown tips, and unknown gigs whose wallets hold money or have paid. If every gig adds up, it ends the ' +
        'stop of all payments after a change of the database’s server, and the wait of refunds and returns after a restore. ' +
        'Exits with 1 when a gig does not add up, money of an unknown gig is found, the audit is inconclusive, or the chain ' +
        'does not answer.',
    )
    .argument('[gig]', 'only this gig', id('gig list shows the ids'))
    .addOption(jsonOption('array'))
    .option('--accept-frozen', 'end such a stop or wait even if gigs do not add up; those stay frozen', false)
    .action((gigId: number | undefined, options: { json: boolean; acceptFrozen: boolean }) =>
      reconcile(context, gigId, options),
    );
  examples(command, 'reconcile', 'reconcile 42 --json');
}
