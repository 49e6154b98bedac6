import { spawnSync } from 'node:child_process';
import { chownSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { databaseUser, type PostgresServer, startPostgres } from '../../../../sandbox/postgres.ts';
import { openPostgresStore } from '../../../../src/store/postgres/store.ts';
import { listen } from '../../../support/listen.ts';
import { POSTGRES_MIGRATIONS } from '../../../support/postgres.ts';
import { temporaryFolder } from '../../../support/store.ts';

const folder = temporaryFolder();
const CERTIFICATE = join(folder.path, 'server.crt');
let server: PostgresServer;

/** A server that takes encrypted connections alone, by a certificate for the name localhost that nobody has signed. */
beforeAll(async () => {
  const key = join(folder.path, 'server.key');
  const hosts = join(folder.path, 'pg_hba.conf');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2', '-nodes'];
  const made = spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-keyout',
    key,
    '-out',
    CERTIFICATE,
    ...subject,
  ]);
  if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.error?.message ?? made.stderr}`);
  writeFileSync(hosts, 'hostssl all all 127.0.0.1/32 trust\n');
  const owner = databaseUser();
  if (owner !== undefined) for (const path of [folder.path, key, hosts]) chownSync(path, owner.uid, owner.gid);
  const files = [`ssl_cert_file=${CERTIFICATE}`, `ssl_key_file=${key}`, `hba_file=${hosts}`];
  server = await startPostgres({ settings: ['ssl=on', ...files] });
});
afterAll(async () => {
  await server.stop();
  folder.remove();
});

async function tryOpen(parameters: string, host = 'localhost'): Promise<string> {
  const url = new URL(`${server.url}?${parameters}`);
  url.hostname = host;
  try {
    const store = await openPostgresStore({ url: url.href, migrationsFolder: POSTGRES_MIGRATIONS });
    await store.close();
    return 'opened';
  } catch (error) {
    return (error as Error).message.replace(/^database postgres at [a-z0-9.]+:[0-9]+: /, '');
  }
}

describe('a server that requires TLS', () => {
  const UNENCRYPTED =
    'the server refuses connections without encryption (28000); append sslmode=verify-full to DATABASE_URL';
  const UNKNOWN =
    'no authority that is known here has signed its certificate; append sslrootcert=<file of the authority> to DATABASE_URL ' +
    '(DEPTH_ZERO_SELF_SIGNED_CERT)';
  const OTHER = 'its certificate names another host; take that name in DATABASE_URL (ERR_TLS_CERT_ALTNAME_INVALID)';

  test.for([
    ['the authority of its certificate', `sslmode=verify-full&sslrootcert=${CERTIFICATE}`, 'opened', 'localhost'],
    ['no encryption', '', UNENCRYPTED, 'localhost'],
    ['no authority', 'sslmode=verify-full', UNKNOWN, 'localhost'],
    ['a name that is not in its certificate', `sslmode=verify-full&sslrootcert=${CERTIFICATE}`, OTHER, '127.0.0.1'],
    [
      'a file that is not there',
      'sslmode=verify-full&sslrootcert=/none/ca.pem',
      'the file /none/ca.pem that its URL names cannot be read (ENOENT)',
      'localhost',
    ],
  ] as const)('security: answers a URL with %s', async ([, parameters, answer, host]) => {
    expect(await tryOpen(parameters, host)).toBe(answer);
  });
});

/** Answers each connection with one message, as a host's proxy does before there is a server. */
async function answering(bytes: Buffer): Promise<string> {
  const proxy = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(bytes));
  });
  const { port, close } = await listen(proxy);
  onTestFinished(close);
  return `postgres://ann@127.0.0.1:${port}/gigs`;
}

function errorMessage(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

test.for([
  [
    'a pooler that knows no such tenant',
    errorMessage('XX000', 'Tenant or user not found'),
    '',
    'the server, or a pooler before it, reports: Tenant or user not found (XX000)',
  ],
  [
    'a server without TLS',
    Buffer.from('N'),
    '?sslmode=verify-full',
    'the server takes no encrypted connections; turn TLS on there',
  ],
] as const)('error: %s is no fault of the files', async ([, bytes, parameters, fault]) => {
  const opened = openPostgresStore({
    url: (await answering(bytes)) + parameters,
    migrationsFolder: POSTGRES_MIGRATIONS,
  });
  await expect(opened).rejects.toThrow(
    new RegExp(`^database gigs at 127\\.0\\.0\\.1:[0-9]+: ${RegExp.escape(fault)}$`),
  );
});
