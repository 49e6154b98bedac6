import { describe, expect, test } from 'vitest';
import { cleanAnswer } from '../../../src/domain/platforms/odd-answer.ts';

const MNEMONIC = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
/** Without digits, so that nothing but its value tells that it is a key. */
const KEY = 'ab+cd/"e\\f&key=';
const LETTERS = 'qwrtpsdfghjklzxc';

const ANSWER = { service: 'X', method: 'GET', path: '/2', status: 500, headers: {}, basis: 'status' } as const;
const keptOf = (body: unknown, secrets: readonly string[] = [KEY, LETTERS.slice(3, 9), LETTERS, MNEMONIC]) =>
  cleanAnswer({ ...ANSWER, body, secrets });

describe('what is kept of an odd answer', () => {
  test.for([
    ['in JSON', JSON.stringify({ message: `no ${KEY}.` }), '{"message":"no [secret]."}'],
    ['in JSON that broke off', `{"message":${JSON.stringify(`no ${KEY}`)}`, '{"message":"no [secret]"'],
    ['with escaped slashes', '{"message":"no ab+cd\\/\\"e\\\\f&key="', '{"message":"no [secret]"'],
    ['percent-encoded', `no ${encodeURIComponent(KEY)}.`, 'no [secret].'],
    ['in base64', `no ${btoa(LETTERS).replaceAll('=', '')}.`, 'no [secret].'],
    ['in other case', `no ${LETTERS.toUpperCase()}.`, 'no [secret].'],
    ['in a path', `https://node.example/v2/${LETTERS}/x`, 'https://node.example/v2/[secret]/x'],
    ['as a name', { [LETTERS]: 1 }, '{"[secret]":1}'],
    ['as a number', { id: 4711 }, '{"id":[secret]}', ['4711']],
    ['with a shorter one in it', `no ${LETTERS}.`, 'no [secret].'],
    ['split by NUL', `no ${LETTERS.slice(0, 5)}\0${LETTERS.slice(5)}.`, 'no [secret].'],
    ['with its words apart', `no ${MNEMONIC.replaceAll(' ', '\n ')}.`, 'no [secret].'],
    [
      'of X, percent-encoded as X gives it',
      'no AAAAAAAAAAAAAAAAAAAAAMLheA0%2BuSeid%2BULvs4JtiGRi%3DEUifiRBkKG5E2Xz',
      'no [hex][token]',
    ],
    ['that is a private key', `0x${'ab'.repeat(32)} ${'CD'.repeat(32)}`, '[hex] [hex]'],
    [
      'that another service names so',
      { 'x-api-key': 'a b', text: 'password=short;' },
      '{"x-api-key":"[secret]","text":"password=[secret];"}',
    ],
  ] as const)('security: a secret %s is not', ([, body, kept, secrets = undefined]) => {
    expect(keptOf(body, secrets).body).toBe(kept);
  });

  test('security: no word of a mnemonic is left where a text is cut', () => {
    for (let before = 900; before <= 1_000; before += 7) {
      for (const body of [{ message: `${'é'.repeat(before)} ${MNEMONIC}` }, `${'é '.repeat(before / 2)}${MNEMONIC}`])
        expect(keptOf(body).body).not.toContain('legal');
    }
  });

  test('security: what is read of an answer does not grow with it', () => {
    const wide = (depth: number): object | string =>
      depth === 0 ? 'x' : Object.fromEntries(Array.from({ length: 20 }, (_, each) => [`k${each}`, wide(depth - 1)]));
    let reads = 0;
    const counted = (value: object): object =>
      new Proxy(value, {
        get(target, key) {
          reads += 1;
          const found: unknown = Reflect.get(target, key);
          return typeof found === 'object' && found !== null ? counted(found) : found;
        },
      });
    keptOf(counted(wide(4) as object));
    expect(reads).toBeLessThan(5_000);
  });
});
