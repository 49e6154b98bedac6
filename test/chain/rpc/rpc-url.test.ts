import { expect, test } from 'vitest';
import { credentialsOf, secretParts } from '../../../src/chain/rpc/rpc-url.ts';

const URL_WITH_KEYS =
  'https://some%2Buser:p%40ssw0rd@rpc.example.org:8545/v3/path-key-1/?apikey=query%2Bkey&standalone-key&network=mainnet';

test.each([
  { form: 'the whole URL', secret: URL_WITH_KEYS },
  { form: 'the host', secret: 'rpc.example.org' },
  { form: 'the user as it is meant', secret: 'some+user' },
  { form: 'the password as it stands', secret: 'p%40ssw0rd' },
  { form: 'the password as it is meant', secret: 'p@ssw0rd' },
  { form: 'both as they are sent', secret: Buffer.from('some+user:p@ssw0rd').toString('base64').replace(/=+$/, '') },
  { form: 'a part of the path', secret: 'path-key-1' },
  { form: 'a value of the query as it stands', secret: 'query%2Bkey' },
  { form: 'a value of the query as it is meant', secret: 'query+key' },
  { form: 'a name of the query without a value', secret: 'standalone-key' },
])('security: $form is a secret', ({ secret }) => {
  expect(secretParts(URL_WITH_KEYS)).toContain(secret);
});

test('security: longer parts come first, so that none leaves a rest of another', () => {
  const lengths = secretParts(URL_WITH_KEYS).map((part) => part.length);
  expect(lengths).toEqual(lengths.toSorted((a, b) => b - a));
});

test('behavior: what says nothing of the endpoint is no secret', () => {
  expect(secretParts('http://localhost:8545/')).toEqual(['http://localhost:8545/', 'localhost:8545', 'localhost']);
  expect(credentialsOf(new URL('http://localhost:8545/'))).toBeNull();
});
