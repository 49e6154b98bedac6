import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { contrast, SCHEMES, type Shades } from '../../src/domain/settings/accent.ts';
import { siteOf } from '../../src/sign-in/site.ts';
import { problemsOf } from '../support/config.ts';

const NAME = "SITE_NAME must have only letters, digits, spaces and . , : ' ( ) _ -, and begin with a letter or digit";
const LONG = 'SITE_NAME must have at most 32 characters';
const COLOR = 'SITE_ACCENT must be a color such as #0b5d8c';
const faint = (has: string, better: string) =>
  `SITE_ACCENT must have a contrast of at least 4.5 to the ground of pages, #f0f0ed: it has ${has}, and ${better} is dark enough`;
const CONTACT = 'OPERATOR_CONTACT must be a mail address or an https URL';
const TERMS = 'SITE_TERMS_URL must be an https URL';

test.each([
  ['SITE_NAME', 'Acme <b>Gigs</b>!', NAME],
  ['SITE_NAME', 'Acme & Sons', NAME],
  ['SITE_NAME', 'Acme \u202eemca', NAME],
  ['SITE_NAME', 'Acme\u200b', NAME],
  ['SITE_NAME', 'Acme\nBcc: a@b.example', NAME],
  ['SITE_NAME', '- Acme', NAME],
  ['SITE_NAME', 'Acme --', NAME],
  ['SITE_NAME', '@everyone', NAME],
  ['SITE_NAME', 'https://evil.example', NAME],
  ['SITE_NAME', '🎉 Acme', NAME],
  ['SITE_NAME', 'a'.repeat(500), LONG],
  ['SITE_NAME', 'a'.repeat(33), LONG],
  // Each of these letters is two characters in the form in which a name is kept.
  ['SITE_NAME', '\ufb2a'.repeat(17), LONG],
  ['SITE_ACCENT', 'red', COLOR],
  ['SITE_ACCENT', 'url(x)', COLOR],
  ['SITE_ACCENT', '#0b5d8c;}body{display:none', COLOR],
  ['SITE_ACCENT', '#0b5d8cff', COLOR],
  ['SITE_ACCENT', '#ggg', COLOR],
  ['SITE_ACCENT', '#fff', faint('1.14', '#666666')],
  ['SITE_ACCENT', '#f97316', faint('2.45', '#ae510f')],
  ['OPERATOR_CONTACT', 'javascript:alert(1)', CONTACT],
  ['OPERATOR_CONTACT', 'data:text/html,x', CONTACT],
  ['OPERATOR_CONTACT', 'ops@gigs.example?bcc=a@b.example', CONTACT],
  ['OPERATOR_CONTACT', 'ops@gigs.example, a@b.example', CONTACT],
  ['OPERATOR_CONTACT', 'mailto:javascript:alert(1)', CONTACT],
  ['OPERATOR_CONTACT', 'http://gigs.example/help', CONTACT],
  ['OPERATOR_CONTACT', 'https://ann:hidden@gigs.example', CONTACT],
  ['OPERATOR_CONTACT', 'call us', CONTACT],
  ['SITE_TERMS_URL', '/terms', TERMS],
  ['SITE_TERMS_URL', 'JavaScript:alert(1)', TERMS],
  ['SITE_TERMS_URL', 'ops@gigs.example', TERMS],
])('security: %s refuses %s, and says what is right', (name, value, problem) => {
  expect(problemsOf({ [name]: value })).toEqual([problem]);
});

test('behavior: none are set, and what is right is taken in one form', () => {
  expect(loadConfig({})).toMatchObject({
    brand: { name: null, accent: null, contact: null, terms: null },
    logoFile: null,
  });
  const read = (env: Record<string, string>) => loadConfig(env).brand;
  expect(read({ SITE_NAME: ' Acme Gigs (Köln) ' }).name).toBe('Acme Gigs (Köln)');
  expect(read({ SITE_NAME: 'Ko\u0308ln' }).name).toBe('Köln');
  for (const name of ['円の仕事', 'עבודות', "O'Neill’s 2"]) expect(read({ SITE_NAME: name }).name).toBe(name);
  expect(read({ SITE_ACCENT: '#069' })).toEqual(read({ SITE_ACCENT: '#006699' }));
  const contacts = {
    'Ops+gigs@Gigs.example': 'mailto:Ops+gigs@Gigs.example',
    'mailto:ops@gigs.example': 'mailto:ops@gigs.example',
    'https://gigs.example/help"><script>': 'https://gigs.example/help%22%3E%3Cscript%3E',
  };
  for (const [value, contact] of Object.entries(contacts))
    expect(read({ OPERATOR_CONTACT: value }).contact).toBe(contact);
  expect(read({ SITE_TERMS_URL: 'https://gigs.example/terms/' }).terms).toBe('https://gigs.example/terms/');
});

describe('an accent', () => {
  const css = readFileSync(new URL('../../src/http/pages/assets/style.css', import.meta.url), 'utf8');
  const [, light = '', dark = ''] = css.split(':root {');
  const colorOf = (scheme: string, name: string) => new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(scheme)?.[1] ?? '';
  /** Every ground of a scheme on which a link stands. */
  const groundsOf = (scheme: string) => ['ground', 'surface', 'sunken'].map((name) => colorOf(scheme, name));

  test('behavior: the ground that counts is the one of the style sheet with the least contrast', () => {
    for (const [css, { ground, on }] of [
      [light, SCHEMES.light],
      [dark, SCHEMES.dark],
    ] as const) {
      expect(colorOf(css, 'on-accent')).toBe(on);
      const contrasts = groundsOf(css).map((each) => contrast(each, colorOf(css, 'accent')));
      expect(contrast(ground, colorOf(css, 'accent'))).toBe(Math.min(...contrasts));
    }
  });

  test.each(['#000', '#0b5d8c', '#7c2d12', '#4c1d95', '#14532d', '#6d6d6d', '#00f'])(
    'behavior: %s can be read in both schemes, and so can the text on it',
    (color) => {
      const { accent } = loadConfig({ SITE_ACCENT: color }).brand;
      const least = ({ accent: shade, strong, on }: Shades, css: string) =>
        Math.min(...[shade, strong].flatMap((each) => [on, ...groundsOf(css)].map((other) => contrast(each, other))));
      expect(accent && least(accent.light, light)).toBeGreaterThanOrEqual(4.5);
      expect(accent && least(accent.dark, dark)).toBeGreaterThanOrEqual(4.5);
    },
  );
});

test('behavior: a message to sign has the name, or the domain where such messages cannot say it', () => {
  const nameOf = (name: string | null) => siteOf('https://gigs.example', name).name;
  expect([null, "Acme's Gigs", 'Köln'].map(nameOf)).toEqual(['gigclaim', "Acme's Gigs", 'gigs.example']);
});
