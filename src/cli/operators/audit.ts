import type { Command } from 'commander';
import { invalidRequest } from '../../domain/errors.ts';
import type { AuditEvent } from '../../domain/operators/audit-event.ts';
import { isoText } from '../../domain/time.ts';
import { findGig } from '../../services/gigs/find-gigs.ts';
import type { Store } from '../../store/port/index.ts';
import { examples, id, type ListOptions, pageOptions } from '../arguments.ts';
import type { Context } from '../context.ts';
import { plain } from '../output.ts';
import { printList, type Table } from '../table.ts';

const SHOWN_TEXT = 60;

function toItem(event: AuditEvent) {
  // The store takes JSON objects only.
  const detail: unknown = JSON.parse(event.detail);
  return {
    id: event.id,
    at: isoText(event.at),
    actor: event.actor,
    name: event.actorName,
    key_id: event.apiKeyId,
    client: event.client,
    request_id: event.requestId,
    action: event.action,
    subject: event.subject,
    subject_id: event.subjectId,
    gig_id: event.gigId,
    detail,
  };
}

type Item = ReturnType<typeof toItem>;

function whoText({ actor, name, key_id: keyId, client }: Item): string {
  const key = keyId === null ? '' : ` (key ${keyId}${client === null ? '' : ` for ${client}`})`;
  return plain(`${actor} ${name}${key}`, SHOWN_TEXT);
}

const EVENT_TABLE: Table<Item> = {
  id: ({ id: eventId }) => eventId,
  at: { read: ({ at }) => at, cut: 'time' },
  who: { read: whoText, cut: 'end', spare: 3 },
  what: ({ action }) => action,
  to: { read: ({ subject, subject_id: subjectId }) => `${subject} ${subjectId}`, cut: 'end' },
  gig: { read: ({ gig_id: gigId }) => gigId, spare: 2 },
  request: {
    read: ({ request_id: request }) => (request === null ? null : plain(request, SHOWN_TEXT)),
    cut: 'end',
    spare: 1,
  },
  detail: { read: ({ detail }) => plain(JSON.stringify(detail), SHOWN_TEXT), cut: 'end', spare: 4 },
};

/** An unknown id would otherwise look like one without events. @throws DomainError when it is unknown */
async function requireKnown(store: Store, { gig: gigId, key: keyId }: { gig?: number; key?: number }): Promise<void> {
  if (gigId !== undefined) await findGig({ store }, { gigId });
  if (keyId === undefined) return;
  const ids = (await store.apiKeys()).map(({ id }) => id);
  if (ids.includes(keyId)) return;
  const known = ids.length === 0 ? 'there are none yet' : `there are ${ids.join(', ')}; api-key list shows them`;
  throw invalidRequest(`There is no key ${keyId}: ${known}.`);
}

/** `audit list`: the audit trail. */
export function addAuditCommands(program: Command, context: Context): void {
  const command = program.command('audit').description('the audit trail, which cannot be changed or deleted');
  const list = pageOptions(
    command
      .command('list')
      .description('the changes by API keys, accounts, the operator and the service, newest first')
      .option('--gig <id>', 'only changes to this gig', id('gig list shows the ids'))
      .option('--key <id>', 'only changes by this key, including its log-ins', id('api-key list shows it')),
    EVENT_TABLE,
  ).action(async (options: ListOptions & { gig?: number; key?: number }) => {
    const { limit, before, gig: gigId, key: apiKeyId } = options;
    const events = await context.withStore(async (store) => {
      await requireKnown(store, options);
      return await store.auditEvents({ limit, before, gigId, apiKeyId });
    });
    printList(context, events.map(toItem), { view: options, empty: 'No events yet.', table: EVENT_TABLE });
  });
  examples(list, 'audit list', 'audit list --gig 42', 'audit list --key 3 --json');
}
