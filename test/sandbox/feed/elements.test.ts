import { describe, expect, test } from 'vitest';
import { parseCard, textsOf } from '../../../sandbox/feed/card.ts';
import { renderCard } from '../../../sandbox/feed/elements.ts';

const HASH = `0x${'ab'.repeat(20)}`;

/** The markup of a card whose root is this element, beside the others. */
async function draw(root: object, others: object = {}, rest: object = {}): Promise<string> {
  const text = JSON.stringify({ version: '2.0', ...rest, ui: { root: 'root', elements: { root, ...others } } });
  const card = parseCard(text);
  if (card === null) throw new Error('that is no card');
  return String(await renderCard(card, { key: 'card', isShown: (hash) => hash === HASH }));
}

function press(action: string, params: object = {}): object {
  return { type: 'button', props: { label: 'Go' }, on: { press: { action, params } } };
}

describe('what an element is drawn as', () => {
  test.each([
    ['text', { content: 'a < b' }, ['<p class="text md normal left">a &lt; b</p>']],
    [
      'text',
      { content: 'Note', size: 'sm', weight: 'bold', align: 'center', maxLines: 2 },
      ['<p class="text sm bold center brief lines-2">Note</p>'],
    ],
    ['badge', { label: 'New' }, ['<span class="label default accent"> New</span>']],
    [
      'badge',
      { label: 'Live', variant: 'outline', color: 'green', icon: 'check' },
      ['<span class="label outline green">', '<span class="icon " aria-hidden="true">✓</span> Live'],
    ],
    ['icon', { name: 'star', color: 'amber' }, ['<span class="icon amber md" aria-hidden="true">★</span>']],
    [
      'progress',
      { value: 175, max: 1000, label: '175 of 1,000 DEGEN' },
      ['<label for="card-root">175 of 1,000 DEGEN</label>', 'class="accent" value="175" max="1000"></progress>'],
    ],
    ['progress', { value: 1, max: 2 }, ['<label for="card-root"><span class="unseen">Progress</span></label>']],
    [
      'bar_chart',
      {
        bars: [
          { label: 'alice', value: 5 },
          { label: 'bob', value: 2, color: 'red' },
        ],
        color: 'blue',
      },
      [
        '<span class="name">alice</span> <progress class="blue" aria-hidden="true" value="5" max="5"></progress>',
        '<progress class="red" aria-hidden="true" value="2" max="5"></progress> <span class="number">2</span>',
      ],
    ],
    [
      'image',
      { url: 'https://a.example/b.png', aspect: '16:9', alt: 'A chart', title: 'Today' },
      ['class="picture ratio-16-9"><img src="https://a.example/b.png" alt="A chart">', '<strong>Today</strong>'],
    ],
    ['image', { url: 'https://a.example/b.png', aspect: '1:1' }, ['alt="">\n</figure>']],
    [
      'item',
      { title: '100 DEGEN', description: 'from 2 gigs', media: { variant: 'icon', name: 'coins', color: 'teal' } },
      [
        '<span class="icon teal" aria-hidden="true">◎</span><div class="content"><p class="item-title">100 DEGEN</p>',
        '<p class="description">from 2 gigs</p></div></div>',
      ],
    ],
    [
      'item',
      { title: 'alice', media: { variant: 'image', url: 'https://a.example/c.png', round: true } },
      ['<div class="item"><img class="round" src="https://a.example/c.png" alt=""><div class="content">'],
    ],
    ['separator', {}, ['<hr>']],
    ['separator', { orientation: 'vertical' }, ['<span class="rule" aria-hidden="true"></span>']],
  ])('behavior: %s %j', async (type, props, expected) => {
    const drawn = await draw({ type, props });
    for (const markup of expected) expect(drawn).toContain(markup);
  });

  test('behavior: a stack holds its children in their order, a row of buttons too', async () => {
    const root = { type: 'stack', props: {}, children: ['b', 'a'] };
    const a = { type: 'text', props: { content: 'first' } };
    const b = { type: 'stack', props: { direction: 'horizontal', gap: 'sm', justify: 'between' }, children: ['c'] };
    const drawn = await draw(root, { a, b, c: { ...a, props: { content: 'second' } } });
    expect(drawn).toContain('<div class="vertical"><div class="horizontal gap-sm justify-between"><p');
    expect(drawn.indexOf('second')).toBeLessThan(drawn.indexOf('first'));
    const grid = { ...root, props: { direction: 'horizontal', columns: 3 }, children: ['a', 'a', 'a'] };
    expect(await draw(grid, { a })).toContain('<div class="horizontal columns-3">');
  });

  test('behavior: a group is a list of its items, each with what stands at its right', async () => {
    const root = { type: 'item_group', props: { border: true, separator: true }, children: ['a'] };
    const a = { type: 'item', props: { title: 'DEGEN' }, children: ['b'] };
    const drawn = await draw(root, { a, b: { type: 'badge', props: { label: '2 tips' } } });
    expect(drawn).toContain('<ul class="plain items border divided"><li><div class="item">');
    expect(drawn).toMatch(/<div class="actions"><span class="label default accent"> 2 tips<\/span><\/div>/);
  });

  test('behavior: what the sandbox cannot draw is drawn as its name', async () => {
    expect(await draw({ type: 'cell_grid', props: { cols: 2, rows: 2, cells: [] } })).toContain(
      '<p class="unknown">cell_grid</p>',
    );
    expect(await draw({ type: 'progress', props: { value: 1, max: 0 } })).toContain('<p class="unknown">progress</p>');
    expect(await draw({ type: 'image', props: { url: 'javascript:alert(1)', aspect: '1:1' } })).toContain(
      '<p class="unknown">image</p>',
    );
  });
});

describe('what a button does', () => {
  test('behavior: it sends the form of its card, or opens a place', async () => {
    const submit = press('submit', { target: 'http://127.0.0.1:3000/gigs/1' });
    expect(await draw(submit)).toContain('<button class="secondary" id="card-root" name="button" value="root"> Go');
    expect(await draw(press('compose_cast', { text: 'Look' }))).toContain('name="button" value="root"');
    for (const action of ['open_url', 'open_mini_app']) {
      const drawn = await draw(press(action, { target: 'https://a.example/gigs/1' }));
      expect(drawn).toContain('<a class="button secondary" id="card-root" href="https://a.example/gigs/1"> Go</a>');
    }
    expect(await draw(press('view_cast', { hash: HASH }))).toContain(`href="#cast-${HASH}"`);
  });

  test.each([
    ['view_cast', { hash: `0x${'cd'.repeat(20)}` }],
    ['swap_token', {}],
    ['open_url', { target: 'javascript:alert(1)' }],
  ])('behavior: one that leads nowhere here cannot be pressed: %s', async (action, params) => {
    expect(await draw(press(action, params))).toContain('<button type="button" class="secondary" disabled> Go');
  });
});

describe('a card', () => {
  const root = { type: 'text', props: { content: 'Paid' } };

  test('behavior: has its accent, and purple without one; confetti is no text', async () => {
    expect(await draw(root)).toContain('<div class="snap accent-purple">');
    const drawn = await draw(root, {}, { theme: { accent: 'green' }, effects: ['confetti'] });
    expect(drawn).toContain('<div class="snap accent-green"><div class="effect" aria-hidden="true">');
  });

  test('security: texts stay texts, and an element that holds itself ends', async () => {
    expect(await draw({ type: 'text', props: { content: '<script>1</script>' } })).toContain('&lt;script&gt;');
    const circle = await draw({ type: 'stack', props: {}, children: ['root', 'gone'] });
    expect(circle.match(/class="vertical"/g)).toHaveLength(5);
  });

  test.each(['', '{', '{}', '{"version":"1.0","ui":{"root":"a","elements":{}}}', '{"version":"2.0","ui":{}}'])(
    'error: %j is none',
    (text) => {
      expect(parseCard(text)).toBeNull();
    },
  );

  test('behavior: its texts can be said in one line', () => {
    const elements = { a: root, b: { type: 'badge', props: { label: 'no' } }, c: { ...root, props: { content: '!' } } };
    const card = parseCard(JSON.stringify({ version: '2.0', ui: { root: 'a', elements } }));
    expect(card === null ? '' : textsOf(card)).toBe('Paid !');
  });
});
