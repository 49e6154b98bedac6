import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLogo } from '../../src/logo-file.ts';
import { grayPng, pngChunk, svgOf } from '../support/logos.ts';
import { type TemporaryFolder, temporaryFolder } from '../support/store.ts';

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder.remove());

async function logoOf(content: string | Uint8Array) {
  const path = join(folder.path, 'logo');
  writeFileSync(path, content);
  return await openLogo(path);
}

const textOf = async (svg: string) => Buffer.from((await logoOf(svg))?.bytes ?? []).toString();
/** Why a content is refused; what was made of it when it is not. */
const problemOf = async (content: string | Uint8Array) =>
  await logoOf(content).then(
    (logo) => `taken: ${Buffer.from(logo?.bytes ?? []).toString()}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );
const shapes = (has: string) =>
  `LogoUnusable: must be an SVG of shapes alone, and has ${has}: export it as plain shapes`;

describe('a PNG', () => {
  test('security: keeps its pixels, and none of what it says of a camera, an author or an animation', async () => {
    const chunks = [
      ['tEXt', 'Author\0Ann'],
      ['eXIf', 'place'],
      ['iCCP', 'profile'],
      ['acTL', 'frames'],
    ].map(([name = '', text = '']) => pngChunk(name, Buffer.from(text)));
    const logo = await logoOf(Buffer.concat([grayPng({ chunks }), Buffer.from('<script>alert(1)</script>')]));
    expect(logo).toEqual({ type: 'image/png', bytes: new Uint8Array(grayPng()), ratio: 2 });
  });

  const whole = 'LogoUnusable: must be a whole PNG file';
  test.each([
    ['cut off', grayPng().subarray(0, -1), whole],
    ['without an end', grayPng().subarray(0, -12), whole],
    ['its signature alone', grayPng().subarray(0, 8), whole],
    ['with a wrong checksum', grayPng().fill(1, 20, 21), whole],
    ['of a chunk that readers must know', grayPng({ chunks: [pngChunk('EVIL')] }), whole],
    [
      'of 40,000 pixels in a few bytes',
      grayPng({ height: 40_000 }),
      'LogoUnusable: must be at most 2048 pixels wide and high',
    ],
    ['without a height', grayPng({ height: 0 }), 'LogoUnusable: must be at most 2048 pixels wide and high'],
    [
      'as a line',
      grayPng({ width: 100, height: 2 }),
      'LogoUnusable: must be at most 8 times as wide as it is high, and 5 times as high as it is wide',
    ],
  ])('security: one %s is refused', async (_, content, problem) => {
    expect(await problemOf(content)).toBe(problem);
  });
});

describe('an SVG', () => {
  test('behavior: is written anew from its shapes, without comments, titles and what editors add', async () => {
    const editor = ' xmlns:ink="urn:ink" ink:version="1" class="a" data-name="b" xml:space="preserve"';
    const more = `<!-- <script> --><title>Acme &amp; &evil;</title><ink:view><ink:grid/></ink:view><metadata><script>x</script></metadata>
<defs><linearGradient id="g" xlink:href='#h'><stop offset="0" style="stop-color:#fff; stop-opacity:.5"/></linearGradient></defs>
<g fill="url(#g)" transform="translate(1,2)"></g>`;
    const declared = `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n${svgOf(more, editor)}\n`;
    expect(await textOf(declared)).toBe(
      svgOf(
        '<defs><linearGradient id="g" href="#h"><stop offset="0" stop-color="#fff" stop-opacity=".5"></stop></linearGradient></defs><g fill="url(#g)" transform="translate(1,2)"></g>',
      ).replace('/></svg>', '></path></svg>'),
    );
    expect((await logoOf(svgOf()))?.ratio).toBe(2);
    expect((await logoOf('<svg width="30px" height="10"></svg>'))?.ratio).toBe(3);
  });

  test.each([
    ['a script', svgOf('<script>alert(1)</script>'), shapes('the element <script>')],
    ['a handler', svgOf('', ' onload="alert(1)"'), shapes('the attribute "onload"')],
    ['a handler on a shape', svgOf('<path onclick="alert(1)"/>'), shapes('the attribute "onclick"')],
    ['an entity', `<!DOCTYPE svg [<!ENTITY a "b">]>${svgOf()}`, shapes('something else at character 1')],
    [
      'an entity in a value',
      svgOf('<path fill="&#117;rl(x)"/>'),
      shapes('a value of fill that is more than a number, a color or a shape'),
    ],
    ['text', svgOf('Acme'), shapes('text')],
    ['text in an element', svgOf('<text>Acme</text>'), shapes('the element <text>')],
    ['a picture', svgOf('<image href="https://evil.example/a.png"/>'), shapes('the element <image>')],
    ['a link', svgOf('<a href="javascript:alert(1)"><path/></a>'), shapes('the element <a>')],
    ['HTML', svgOf('<foreignObject/>'), shapes('the element <foreignObject>')],
    ['a repeated shape', svgOf('<use href="#a"/>'), shapes('the element <use>')],
    ['an animation', svgOf('<animate attributeName="href"/>'), shapes('the element <animate>')],
    ['a style sheet', svgOf('<style>@import url(x)</style>'), shapes('the element <style>')],
    ['a processing instruction', `<?xml-stylesheet href="x"?>${svgOf()}`, shapes('something else at character 1')],
    [
      'a reference elsewhere',
      svgOf('<linearGradient href="https://evil.example/#a"/>'),
      shapes('a reference in <linearGradient>'),
    ],
    ['a reference of a shape', svgOf('<path xlink:href="#a"/>'), shapes('a reference in <path>')],
    [
      'a url()',
      svgOf('<path fill="url(https://evil.example/#a)"/>'),
      shapes('a value of fill that is more than a number, a color or a shape'),
    ],
    [
      'a relative url()',
      svgOf('<path fill="url(a.svg)"/>'),
      shapes('a value of fill that is more than a number, a color or a shape'),
    ],
    [
      'a url() in a style',
      svgOf('<path style="fill:URL(x)"/>'),
      shapes('a value of fill that is more than a number, a color or a shape'),
    ],
    [
      'an escaped url()',
      svgOf(String.raw`<path style="fill:u\72l(x)"/>`),
      shapes('a value of fill that is more than a number, a color or a shape'),
    ],
    ['another style', svgOf('<path style="background:red"/>'), shapes('the style "background"')],
    [
      'clips within clips',
      svgOf('<clipPath id="a"><path clip-path="url(#b)"/></clipPath>'),
      shapes('a clip-path within a clipPath'),
    ],
    ['tags that do not match', svgOf('<g>'), shapes('tags that do not match')],
    ['no end', svgOf().replace('</svg>', ''), shapes('no end')],
    ['a second root', `${svgOf()}${svgOf()}`, shapes('the element <svg>')],
    ['another root', '<g><svg viewBox="0 0 1 1"/></g>', shapes('the element <g>')],
    ['an attribute twice', svgOf('<path d="M0 0" d="M1 1"/>'), shapes('an attribute of <path> twice')],
    ['no size', '<svg><path d="M0 0"/></svg>', shapes('no viewBox')],
    ['endless depth', svgOf('<g>'.repeat(2_000)), shapes('too many elements within each other')],
    ['CDATA', svgOf('<![CDATA[<script>]]>'), shapes('something else at character 61')],
    ['no quotes', svgOf('<path d=M0/>'), shapes('something else at character 61')],
  ])('security: one with %s is refused', async (_, content, problem) => {
    expect(await problemOf(content)).toBe(problem);
  });
});

describe('the file', () => {
  test('behavior: may be behind a link, as containers mount files; without a setting there is none', async () => {
    writeFileSync(join(folder.path, 'real'), svgOf());
    symlinkSync(join(folder.path, 'real'), join(folder.path, 'link'));
    expect((await openLogo(join(folder.path, 'link')))?.type).toBe('image/svg+xml');
    expect(await openLogo(null)).toBeNull();
  });

  test('security: is a file of at most 64 kB that holds a picture, and no reason names its path', async () => {
    const pipe = join(folder.path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const big = join(folder.path, 'big');
    writeFileSync(big, svgOf(' '.repeat(65_536)));
    const text = join(folder.path, 'text');
    writeFileSync(text, 'GIG_WALLET_MNEMONIC=test test');
    const reasons = ['/dev/zero', pipe, folder.path, big, text, join(folder.path, 'none')].map((path) =>
      openLogo(path).then(
        () => 'taken',
        (error: Error) => error.message,
      ),
    );
    expect(await Promise.all(reasons)).toEqual([
      'must be a file',
      'must be a file',
      'must be a file',
      'must have at most 65536 bytes',
      'must be a PNG or an SVG file',
      'the file does not exist',
    ]);
    expect(await problemOf(Buffer.from('ffd8ffe000104a464946', 'hex'))).toBe(
      'LogoUnusable: must be a PNG or an SVG file',
    );
  });
});
