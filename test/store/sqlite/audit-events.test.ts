import { expect, test } from 'vitest';
import { useRawStore } from './raw.ts';

const { store, exec, run, columns } = useRawStore();

const insert = (actor: string, detail: string) =>
  exec(`insert into audit_events (at, actor, actor_name, action, subject, subject_id, detail)
    values (1, '${actor}', 'payments', 'gig.freeze', 'gig', '7', '${detail}')`);

test('security: an audit event cannot be changed, deleted or replaced, not even by raw SQL', async () => {
  insert('job', '{}');
  expect(columns('audit_events')).toHaveLength(12);
  for (const column of columns('audit_events')) {
    expect(run(`update audit_events set ${column} = ${column}`), column).toThrow('an audit event cannot be changed');
  }
  expect(run('delete from audit_events')).toThrow('an audit event cannot be deleted');
  const replace = 'insert or replace into audit_events select * from audit_events';
  expect(run(replace)).toThrow('an audit event cannot be replaced');
  expect(await store.auditEvents({ limit: 9 })).toHaveLength(1);
});

test('error: what is no JSON or no kind of actor is refused', () => {
  expect(() => insert('stranger', '{}')).toThrow('audit_events_actor');
  expect(() => insert('job', '{')).toThrow('audit_events_detail');
});
