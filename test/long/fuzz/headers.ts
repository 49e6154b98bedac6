import fc from 'fast-check';

/** Some header lines, and whether HTTP allows them. */
export interface Part {
  readonly lines: readonly string[];
  readonly proper: boolean;
}

/** The lines of a text that bars divide. */
function part(text: string, proper: boolean): Part {
  return { lines: text === '' ? [] : text.split(' | '), proper };
}
const proper = (text: string) => part(text, true);
const improper = (text: string) => part(text, false);

const PROPER = [
  ...['X-Forwarded-For: 1.2.3.4, ::1', 'X-HTTP-Method-Override: DELETE', 'Range: bytes=0-1', 'Content-Encoding: gzip'],
  ...['Accept: text/html;q=-1', 'Accept-Encoding: br;q=1e400', 'Origin: null'],
  'Origin: https://evil.example | Access-Control-Request-Method: PATCH',
  ...[`Cookie: ${'a=b; '.repeat(1_000)}`, 'If-None-Match: *', 'Expect: 100-continue'],
  ...['Upgrade: websocket | Connection: Upgrade, close', 'X-A: é\u00ff', 'Forwarded: for="_x"', 'Idempotency-Key: one'],
  ...['Idempotency-Key: one | Idempotency-Key: two', 'Idempotency-Key:'],
  Array.from({ length: 300 }, (_, index) => `X-Many-${index}: v`).join(' | '),
];

const IMPROPER = [
  ...[`X-Large: ${'x'.repeat(20_000)}`, 'X-Nul: a\u0000b', 'X Space: a', 'NoColon', 'X-Fold: a |  folded', ': empty'],
  ...['Transfer-Encoding: gzip, identity', 'Content-Length: 1 | Content-Length: 2', 'Content-Length: -1'],
  ...['Expect: miracles', 'Transfer-Encoding: chunked | Content-Length: 5', 'Content-Length: 0x10', 'X: a\rb'],
];

const IMPROPER_HOSTS = [
  ...['', 'Host:', 'Host: a b', 'Host: a | Host: b', 'Host: a/../b', 'Host: user:pw@evil', 'Host: [::1'],
  ...['Host: \u00e9', 'Host: a:99999999'],
];

/** The lines of a request's head but for those of its body: host, key, and whatever else clients send. */
export function headers({ apiKey }: { readonly apiKey: string }): fc.Arbitrary<Part> {
  const good = `x-api-key: ${apiKey}`;
  const oddKeys = [
    ...['', 'x-api-key:', 'x-api-key: gck_wrong', good.slice(0, -1), `${good}x`, `${good}, ${apiKey}`],
    ...[`x-api-key: ${apiKey.toUpperCase()}`, `authorization: Bearer ${apiKey}`, `x-api-key: ${'k'.repeat(10_000)}`],
    ...["x-api-key: ' OR 1=1", `${good} | ${good}`],
  ];
  const printable = fc
    .string({ minLength: 1, maxLength: 300 })
    .filter((text) => /^[\x21-\x7e][\x20-\x7e]*$/.test(text));
  const named = (name: string) => printable.map((value): Part => ({ lines: [`${name}: ${value}`], proper: true }));
  const keys = fc.oneof(
    { weight: 8, arbitrary: fc.constant(proper(good)) },
    { weight: 2, arbitrary: fc.constantFrom(...oddKeys.map(proper)) },
  );
  const extra = fc.oneof(
    { weight: 8, arbitrary: fc.constant(proper('')) },
    { weight: 2, arbitrary: named('Idempotency-Key') },
    { weight: 1, arbitrary: named('X-Request-Id') },
    { weight: 4, arbitrary: fc.constantFrom(...PROPER.map(proper), ...IMPROPER.map(improper)) },
  );
  const host = fc.oneof(
    { weight: 30, arbitrary: fc.constant(proper('Host: gigclaim.test')) },
    { weight: 1, arbitrary: fc.constantFrom(...IMPROPER_HOSTS.map(improper)) },
  );
  return fc.tuple(host, keys, extra).map((parts) => ({
    lines: parts.flatMap(({ lines }) => lines),
    proper: parts.every((part) => part.proper),
  }));
}
