import { describe, expect, test } from 'vitest';
import { loadConfig, secretsOf, VARIABLES } from '../../src/config.ts';
import { CHAINS } from '../../src/domain/chains/chain.ts';
import { problemsOf } from '../support/config.ts';

const QUOTED = 'must stand without quotes: here they are part of the value, as docker --env-file keeps them';
const UNFILLED = 'must be the value itself: its $ was not filled in';
const EXAMPLE = 'must be the value itself, not the <…> of an example';
const SETTINGS = [...VARIABLES, ...CHAINS.map(({ id }) => `RPC_URL_${id}`)];
/** What needs other variables, which are not said to be missing for a value in a wrong form. */
const EVERYTHING = Object.fromEntries(SETTINGS.map((name) => [name, '"private-value"']));

describe('any setting', () => {
  test.each([
    ['in quotes', '"private-value"', QUOTED],
    ['in single quotes', " 'private-value' ", QUOTED],
    ['in typographic quotes', '“private-value”', QUOTED],
    ['with one quote left', 'private-value"', QUOTED],
    ['that nothing filled', `$\{PRIVATE_VALUE}`, UNFILLED],
    ['with a part that nothing filled', `postgres://private:$\{PRIVATE_VALUE}@db.example/x`, UNFILLED],
    ['that no shell has run', '$(cat /private/value)', UNFILLED],
    ['that names a variable', '$PRIVATE_VALUE', UNFILLED],
    ['of an example', '<private value>', EXAMPLE],
  ])('security: one %s is refused by each setting, with one sentence and without the value', (_, value, problem) => {
    const env = { ...Object.fromEntries(SETTINGS.map((name) => [name, value])), CHAINS: 'base', SIGN_IN: 'farcaster' };
    const asked = CHAINS.filter(({ id }) => [8453, 10, 1].includes(id)).map(({ id }) => `RPC_URL_${id}`);
    const read = [...VARIABLES.filter((name) => !['CHAINS', 'SIGN_IN'].includes(name)), ...asked];
    expect(problemsOf(env).toSorted()).toEqual(read.map((name) => `${name} ${problem}`).toSorted());
    expect(problemsOf({ CHAINS: value, SIGN_IN: value })).toEqual([`SIGN_IN ${problem}`, `CHAINS ${problem}`]);
  });

  test('security: a list with one item in quotes is refused, and no quote becomes part of a secret', () => {
    const problems = problemsOf({ ...EVERYTHING, NEYNAR_WEBHOOK_SECRETS: 'private-1, "private-2"' });
    expect(problems).toContain(`NEYNAR_WEBHOOK_SECRETS ${QUOTED}`);
  });

  test('behavior: blanks around a value do not count, whatever reads it', () => {
    const words = 'test test test test test test test test test test test junk';
    const env = { LOG_LEVEL: 'debug', TRUST_PROXY: 'true', CHAINS: 'base', PORT: '80', GIG_WALLET_MNEMONIC: words };
    const wide = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, `  ${value}\t\n`]));
    expect(loadConfig(wide)).toEqual(loadConfig(env));
  });
});

describe('DATABASE_URL', () => {
  const FORMS = 'file:<path> or postgres://<user>:<password>@<host>/<database>';
  const SCHEME = 'a database on a server begins with postgres://';
  const MEMORY = 'name a file, because a database in memory ends with the process';
  const FILL_IN = 'write your password in the place of the example';
  const ENCODED = 'write % in the password as %25, / as %2F, ? as %3F and # as %23';

  test.each([
    ["psql 'postgresql://ann:hidden@db.example/gigs'", 'leave out the command psql, and the quotes behind it'],
    ['psql postgresql://ann:hidden@db.example/gigs', 'leave out the command psql, and the quotes behind it'],
    ['host=db.example dbname=gigs user=ann password=hidden', 'write host, dbname, user and password as one URL'],
    ['dbname = gigs password = hidden', 'write host, dbname, user and password as one URL'],
    ['jdbc:postgresql://ann:hidden@db.example/gigs', 'leave out jdbc:'],
    ['postgresql+asyncpg://ann:hidden@db.example/gigs', 'leave out the + and the driver behind it'],
    ['postgres//ann:hidden@db.example/gigs', SCHEME],
    ['postgres//db.example/gigs.db', SCHEME],
    ['postgres:/ann:hidden@db.example/gigs', SCHEME],
    ['postgresql;//ann:hidden@db.example/gigs', SCHEME],
    ['//ann:hidden@db.example/gigs', SCHEME],
    ['ann:hidden@db.example/gigs', SCHEME],
    ['ann:hidden@db.example/gigs.db', SCHEME],
    ['db.example:5432/gigs', SCHEME],
    ['mysql://db.example/gigs', 'other databases are not supported'],
    ['postgres://ann:hid den@db.example/gigs', 'write a blank as %20'],
    ['postgres://ann:hidden@db.example', 'name the database behind the host'],
    ['postgres://ann:hidden@db.example/', 'name the database behind the host'],
    ['postgres://ann:hid%up@db.example/gigs', 'write a % of the password as %25'],
    ['postgres://ann:hidden%@db.example/gigs', 'write a % of the password as %25'],
    ['postgres://ann:hid%abden@db.example/gigs', ENCODED],
    ['postgres://ann:hid/den@db.example/gigs', ENCODED],
    ['postgres://ann:123/hidden@db.example/gigs', ENCODED],
    ['postgres://ann:hid?den@db.example/gigs', ENCODED],
    ['postgres://ann:hid#den@db.example/gigs', ENCODED],
    ['postgresql://postgres:[YOUR-PASSWORD]@db.example:5432/postgres', FILL_IN],
    ['postgres://ann:<password>@db.example/gigs', FILL_IN],
    ['postgres://ann:******@db.example/gigs?sslmode=require', FILL_IN],
    ['postgres://ann:hidden@db1.example:5432,db2.example:5432/gigs', 'name one host, the primary'],
    ['postgres://db1.example,db2.example/gigs?password=hidden', 'name one host, the primary'],
    ['./hidden.db?mode=ro', 'a file takes no options'],
    ['file:./hidden.db?cache=shared', 'a file takes no options'],
    ['~/hidden.db', 'write file: before the name of a file'],
    ['file:~/hidden.db', 'write the whole path behind file:'],
    ['file://db.example/hidden', 'write the whole path behind file:'],
    ['file::memory:', MEMORY],
    [':memory:', MEMORY],
    ['localhost/hidden', 'write file: before the name of a file'],
    ['hidden', 'write file: before the name of a file'],
  ])('security: %s names no file, and is refused with what was meant', (value, meant) => {
    expect(problemsOf({ DATABASE_URL: value })).toEqual([`DATABASE_URL must be ${FORMS}; ${meant}`]);
  });

  test.each([
    ['/var/lib/gigs@1/with blanks/gigs', '/var/lib/gigs@1/with blanks/gigs'],
    ['../gigs', '../gigs'],
    ['gigs.sqlite3', 'gigs.sqlite3'],
    ['file:gigs', 'gigs'],
    [' file:./gigs.db ', './gigs.db'],
    ['Postgres://db.example/gigs', 'Postgres://db.example/gigs'],
  ])('behavior: %s is the database %s', (value, url) => {
    expect(loadConfig({ DATABASE_URL: value }).databaseUrl).toBe(url);
  });

  test.each(['ann:50%25%20off%2F@db.example/gigs', 'db.example/gigs?user=ann&password=50%25%20off%2F'])(
    'security: a password with a %% is written %%25, and no line of the log has it in either form: %s',
    (url) => {
      const config = loadConfig({ DATABASE_URL: `postgres://${url}` });
      expect(secretsOf(config)).toEqual(expect.arrayContaining(['50%25%20off%2F', '50% off/']));
    },
  );
});
