import { expect, test } from 'vitest';
import { renderUntrusted } from '../../../src/http/ui/text.ts';

test.each([
  [
    'a family \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
    'a family \u{1f469}\u200d\u{1f4bb} \u2764\ufe0f\u200d\u{1f525}',
  ],
  ['two\nlines\tand a tab', 'two\nlines\tand a tab'],
  ['100\u202e USDC\u2066', '100� USDC�'],
  ['a\u200db', 'a�b'],
  ['\u0000\u001b[31m\u00ad', '��[31m�'],
  ['<b>&', '&lt;b&gt;&amp;'],
])('security: %j is shown with everything that hides in it', async (text, shown) => {
  expect(String(await renderUntrusted(text))).toBe(`<bdi>${shown}</bdi>`);
});
