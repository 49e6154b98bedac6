import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { SchemaNewer } from '../../src/domain/errors.ts';
import { createLog, summarizeError } from '../../src/log.ts';
import { knownProblem, partsOf, partText, problemText, startProblem, terminalLine } from '../../src/terminal.ts';

/** What a terminal shows of the lines that are logged. */
function shown(work: (log: ReturnType<typeof createLog>) => void, secrets: readonly string[] = []): string {
  let text = '';
  const write = (line: string) => {
    text += terminalLine(line);
  };
  work(createLog({ level: 'info', secrets, destination: { write } }));
  return text;
}

test('behavior: a line of the log is a sentence with its fields, and names the level above info', () => {
  expect(shown((log) => log.info({ requestId: 'r1', gigId: 7, chain: 'base' }, 'gig started'))).toMatch(
    /^[0-9]{2}:[0-9]{2}:[0-9]{2} gig started \(gigId 7, chain base\)\n$/,
  );
  expect(shown((log) => log.warn({}, 'gas tank is low'))).toMatch(/^\S+ WARN gas tank is low\n$/);
});

test('error: an error is shown by what it says, without its stack', () => {
  const error = summarizeError(new Error('the endpoint is gone'));
  expect(shown((log) => log.error({ error }, 'task failed'))).toMatch(
    /^\S+ ERROR task failed \(the endpoint is gone\)\n$/,
  );
});

test.each([
  [{}, 'off; to turn it on, set SIGN_IN, OWNER_CREATE'],
  [{ SIGN_IN: 'wallet' }, 'sign-in with wallet; nobody creates gigs until you set OWNER_CREATE to listed or anybody'],
  [
    { SIGN_IN: 'farcaster,wallet', OWNER_CREATE: 'listed' },
    'sign-in with farcaster and wallet; listed owners create gigs',
  ],
  [{ OWNER_CREATE: 'anybody' }, 'off; to turn it on, set SIGN_IN, OWNER_CREATE'],
])('behavior: with %j the start says of the console: %s', (env, text) => {
  const part = partsOf(loadConfig(env)).find(({ name }) => name === 'Console');
  expect(part && partText(part)).toBe(text);
});

test('security: no secret and no control character reaches the terminal', () => {
  const text = shown((log) => log.info({ text: 'a\u001b[2Kb fake-secret' }, 'seen'), ['fake-secret']);
  expect(text).toMatch(/^\S+ seen \(text a\uFFFD\[2Kb \[redacted\]\)\n$/);
});

test('security: a line that is no JSON any more, because a secret was cut out of a number, is shown as it is', () => {
  const text = shown((log) => log.info({ status: 200 }, 'request'), ['200']);
  expect(text).toMatch(/^\{.*"status":\[redacted\],"msg":"request"\}\n$/);
});

const PLACE = { databaseUrl: './data/gigclaim.db', host: '10.0.0.9' };
const listening = (code: string) => Object.assign(new Error(`listen ${code}`), { code, port: 80 });

test.each([
  [listening('EACCES'), 'This account may not listen on port 80 of 10.0.0.9', /^Set PORT and ADMIN_PORT above 1023/],
  [listening('EADDRINUSE'), 'Another program uses port 80 of 10.0.0.9', /^Stop it/],
  [listening('EADDRNOTAVAIL'), '10.0.0.9 is no address of this machine', /^Set HOST to one that it has/],
  [new Error('database x.db: the disk is full (SQLITE_FULL)'), /^The database x\.db: the disk is full/, /^Check that /],
  [
    new SchemaNewer('database x: it is newer'),
    'The database x: it is newer',
    /^Install the version that ran last\. To go back /,
  ],
  [new TypeError('nothing is a function'), 'nothing is a function', /^To see where it happened, run npm start \| cat/],
])('error: what keeps the service from starting is a sentence with its remedy: %s', (error, detail, remedy) => {
  const found = startProblem(error, PLACE);
  expect(found.detail).toMatch(detail);
  expect(found.remedy).toMatch(remedy);
  expect(problemText(found)).toBe(`gigclaim cannot start. ${found.detail}.\n${found.remedy}\n`);
});

test('error: an error that no operator can mend has no remedy in the log', () => {
  expect(knownProblem(new TypeError('nothing is a function'), PLACE)).toBeNull();
});

test('error: of a server’s database, the remedy speaks of the server', () => {
  const databaseUrl = 'postgres://gigclaim:fake-word@db.example/gigclaim';
  const error = new Error('database gigclaim at db.example: the server refuses the user or the password (28P01)');
  expect(problemText(startProblem(error, { ...PLACE, databaseUrl }))).toBe(
    'gigclaim cannot start. The database gigclaim at db.example: the server refuses the user or the password (28P01).\n' +
      'Check DATABASE_URL, the server and its user. docs/operate/postgres.md#refused-servers explains each refusal.\n',
  );
});
