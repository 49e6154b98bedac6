import fc from 'fast-check';

/** Some header lines, and whether HTTP allows them. */
export interface Part {
  readonly lines: readonly string[];
  readonly proper: boolean;
}

const NO_PART: Part = { lines: [], proper: true };
const proper = (...lines: string[]): Part => ({ lines, proper: true });
const improper = (...lines: string[]): Part => ({ lines, proper: false });

/** The lines of a request's head but for those of its body: host, key, and whatever else clients send. */
export function headers({ apiKey }: { readonly apiKey: string }): fc.Arbitrary<Part> {
  const keys = fc.oneof(
    { weight: 8, arbitrary: fc.constant(proper(`x-api-key: ${apiKey}`)) },
    {
      weight: 2,
      arbitrary: fc.constantFrom(
        ...[NO_PART, proper('x-api-key:'), proper('x-api-key: gck_wrong'), proper(`x-api-key: ${apiKey.slice(0, -1)}`)],
        ...[
          proper(`x-api-key: ${apiKey}x`),
          proper(`x-api-key: ${apiKey}, ${apiKey}`),
          proper(`x-api-key: ${apiKey.toUpperCase()}`),
        ],
        ...[
          proper(`authorization: Bearer ${apiKey}`),
          proper(`x-api-key: ${'k'.repeat(10_000)}`),
          proper("x-api-key: ' OR 1=1"),
        ],
        proper(`x-api-key: ${apiKey}`, `x-api-key: ${apiKey}`),
      ),
    },
  );
  const printable = fc
    .string({ minLength: 1, maxLength: 300 })
    .filter((text) => /^[\x21-\x7e][\x20-\x7e]*$/.test(text));
  const extra = fc.oneof(
    { weight: 8, arbitrary: fc.constant(NO_PART) },
    { weight: 2, arbitrary: printable.map((value) => proper(`Idempotency-Key: ${value}`)) },
    { weight: 1, arbitrary: printable.map((value) => proper(`X-Request-Id: ${value}`)) },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        ...[
          proper('X-Forwarded-For: 1.2.3.4, ::1'),
          proper('X-HTTP-Method-Override: DELETE'),
          proper('Range: bytes=0-1'),
        ],
        ...[proper('Content-Encoding: gzip'), proper('Accept: text/html;q=-1'), proper('Accept-Encoding: br;q=1e400')],
        ...[proper('Origin: null'), proper('Origin: https://evil.example', 'Access-Control-Request-Method: PATCH')],
        ...[proper(`Cookie: ${'a=b; '.repeat(1_000)}`), proper('If-None-Match: *'), proper('Expect: 100-continue')],
        ...[
          proper('Upgrade: websocket', 'Connection: Upgrade, close'),
          proper('X-A: é\u00ff'),
          proper('Forwarded: for="_x"'),
        ],
        ...[
          proper('Idempotency-Key: one'),
          proper('Idempotency-Key: one', 'Idempotency-Key: two'),
          proper('Idempotency-Key:'),
        ],
        proper(...Array.from({ length: 300 }, (_, index) => `X-Many-${index}: v`)),
        ...[
          improper(`X-Large: ${'x'.repeat(20_000)}`),
          improper('X-Nul: a\u0000b'),
          improper('X Space: a'),
          improper('NoColon'),
        ],
        ...[improper('X-Fold: a', ' folded'), improper(': empty'), improper('Transfer-Encoding: gzip, identity')],
        ...[
          improper('Content-Length: 1', 'Content-Length: 2'),
          improper('Content-Length: -1'),
          improper('Expect: miracles'),
        ],
        ...[
          improper('Transfer-Encoding: chunked', 'Content-Length: 5'),
          improper('Content-Length: 0x10'),
          improper('X: a\rb'),
        ],
      ),
    },
  );
  const host = fc.oneof(
    { weight: 30, arbitrary: fc.constant(proper('Host: gigclaim.test')) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[
          improper(),
          improper('Host:'),
          improper('Host: a b'),
          improper('Host: a', 'Host: b'),
          improper('Host: a/../b'),
        ],
        ...[
          improper('Host: user:pw@evil'),
          improper('Host: [::1'),
          improper('Host: \u00e9'),
          improper('Host: a:99999999'),
        ],
      ),
    },
  );
  return fc.tuple(host, keys, extra).map((parts) => ({
    lines: parts.flatMap(({ lines }) => lines),
    proper: parts.every((part) => part.proper),
  }));
}
