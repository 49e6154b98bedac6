import type { Command } from 'commander';
import { accountKeyText } from '../../domain/account.ts';
import { invalidRequest } from '../../domain/errors.ts';
import type { RecordLine } from '../../domain/facts/record-lines.ts';
import { SEARCHABLE } from '../../domain/operators/search.ts';
import { isoText } from '../../domain/time.ts';
import { ACCOUNT_LISTS, type AccountPage, readAccount } from '../../services/operators/find/account.ts';
import { find, type Hit, type HitRecord } from '../../services/operators/find/find.ts';
import { examples, jsonOption } from '../arguments.ts';
import type { Context } from '../context.ts';
import { toldText } from '../facts.ts';
import { plain, printJson } from '../output.ts';

const SHOWN = 10;

/** The command that shows a record; null for one whose facts are all in its sentence. */
function commandOf(record: HitRecord): string | null {
  switch (record.kind) {
    case 'gig':
    case 'claim':
    case 'tip':
    case 'payment':
      return `${record.kind} show ${record.id}`;
    case 'mention':
    case 'reply':
      return `${record.kind} list --before ${record.id + 1} --limit 1`;
    case 'audit':
      return `audit list --before ${record.id + 1} --limit 1`;
    case 'account':
      return `find ${accountKeyText(record.account)}`;
    case 'event':
      return `gig show ${record.gigId}`;
    case 'gas tank':
      return 'doctor';
  }
}

function hitItem({ record, told }: Hit) {
  return { kind: record.kind, sentence: toldText(told), command: commandOf(record) };
}

function lineItem({ id, at, state, told, why }: RecordLine) {
  return { id, at: isoText(at), state, what: toldText(told), why: why === null ? null : toldText(why) };
}

function printPage(context: Context, { list, lines, next }: AccountPage): void {
  context.print(`${list}:${lines.length === 0 ? ' none' : ''}`);
  for (const line of lines) {
    const { at, state, what, why } = lineItem(line);
    context.print(`  ${at}  ${state}  ${plain(what)}${why === null ? '' : `. ${plain(why)}`}`);
  }
  if (next !== null) context.print(`  The older ones are at /admin/accounts.`);
}

async function show(context: Context, text: string, { json }: { json: boolean }): Promise<void> {
  const { clock } = context;
  const { hits, account } = await context.withStore(async (store) => {
    const deps = { store, clock };
    const found = await find(deps, text);
    const only = found.length === 1 ? found[0]?.record : undefined;
    const shown = { lists: ACCOUNT_LISTS, limit: SHOWN };
    return { hits: found, account: only?.kind === 'account' ? await readAccount(deps, only.account, shown) : null };
  });
  if (json) {
    const pages = account?.pages.map(({ list, lines }) => [list, lines.map(lineItem)]) ?? [];
    printJson(
      context,
      hits.map((hit) => ({ ...hitItem(hit), ...Object.fromEntries(pages) })),
    );
    return;
  }
  if (hits.length === 0) throw invalidRequest(`Nothing found. ${SEARCHABLE}`);
  for (const hit of hits) {
    const { sentence, command } = hitItem(hit);
    context.print(plain(sentence));
    if (command !== null && account === null) context.print(`  npm run admin -- ${command}`);
  }
  for (const page of account?.pages ?? []) printPage(context, page);
}

/** `find TEXT`: a person, a post, a payment or a gig by what the operator was given. */
export function addFindCommand(program: Command, context: Context): void {
  const command = program
    .command('find')
    .description('find a person, a post, a payment or a gig by a handle, an account, a link, a hash or a number')
    .argument('<text...>', 'the text to find')
    .addOption(jsonOption('array'))
    .action((words: string[], options: { json: boolean }) => show(context, words.join(' '), options));
  examples(command, 'find @alice', 'find farcaster:1001', 'find gig 5', 'find 0x1234…');
}
