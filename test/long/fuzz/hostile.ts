import fc from 'fast-check';

/** Numbers as JSON text, where JavaScript's own numbers would not do. */
export const HOSTILE_NUMBERS = [
  ...['0', '-0', '-1', '1e400', '-1e400', '1e-400', '1e21', '1.5', '0.1', '9007199254740993', '2147483648'],
  ...['99999999999999999999999999', '1'.repeat(400), '0.000000000000000000000000000000000000001', '1E+2', '5e-324'],
];

/** Text that parsers, databases, terminals and pages trip over. */
const HOSTILE_TEXTS = [
  ...['', ' ', '\u0000', 'a\u0000b', '\ud800', '\udfff\ud800', '\ufeff'],
  ...['\u202e', '\u2028', '\r\n', '%00', '%s%n', '../..'],
  ...[
    "' OR 1=1 --",
    '"; DROP TABLE gigs; --',
    '<script>alert(1)</script>',
    ['$', '{7*7}'].join(''),
    '{{7*7}}',
    '__proto__',
    'constructor',
  ],
  ...['NaN', 'null', 'true', '0x', '1e3', '-1', '١٢٣', '１２３', 'ﬀ', 'İ', '𝟙', '👩‍👩‍👧‍👦', '\u0300'.repeat(500)],
  ...['file:///etc/passwd', 'http://127.0.0.1:1/', 'https://x.com@127.0.0.1/a/status/1', 'javascript:alert(1)'],
  ...['//x.com/a/status/1'],
  ...[
    'https://x.com/a/status/1',
    'https://farcaster.xyz/a/0x12345678',
    `https://farcaster.xyz/~/conversations/0x${'ab'.repeat(20)}`,
  ],
  ...[
    '0x0000000000000000000000000000000000000000',
    '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE',
    `0x${'f'.repeat(64)}`,
  ],
];

/** Any text: hostile, long, or whatever comes. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 60_000 }).map((length) => 'x'.repeat(length)) },
);

/** Any JSON value as text: a scalar of every kind, deep nesting, keys that are something to JavaScript. */
export const hostileJson: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom('null', 'true', 'false', '[]', '{}', '[null]', '[[]]', '{"":{}}') },
  { weight: 1, arbitrary: fc.json({ maxDepth: 4 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']), fc.integer({ min: 50, max: 5_000 }))
      .map(([[open = '', close = ''], depth]) => `${open.repeat(depth)}1${close.repeat(depth)}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"__proto__":{"isAdmin":true}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1}',
    ),
  },
);
