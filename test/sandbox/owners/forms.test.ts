import { expect, test } from 'vitest';
import { readPageForm } from '../../../sandbox/owners/forms.ts';

const PAGE = `<form action="/other" method="post"><input name="other" value="1"></form>
<form class="card" method="post" action="/my/gigs/new" enctype="multipart/form-data">
<input type="hidden" name="token" value="a&quot;b&amp;lt;"><input name="amount" value=""><input type="file" name="file">
<input type="checkbox" name="off" value="on"><input type="checkbox" name="on" value="yes" checked>
<input type="radio" name="rule" value="fixed"><input type="radio" name="rule" value="manual" checked>
<select name="start"><option value="now">Now</option><option value="funded" selected>Funded</option></select>
<select name="first"><option value="1">One</option><option value="2">Two</option></select>
<textarea name="list">
@alice,1
&#39;&gt;</textarea><button>Create</button></form>`;

test('behavior: a form is read with what a browser would send', () => {
  const form = readPageForm(PAGE, '/my/gigs/new');
  expect([form.method, form.isMultipart]).toEqual(['post', true]);
  expect(Object.fromEntries(form.fields)).toEqual({
    token: 'a"b&lt;',
    amount: '',
    on: 'yes',
    rule: 'manual',
    start: 'funded',
    first: '1',
    list: "@alice,1\n'>",
  });
  expect(form.choices.get('rule')).toEqual(['fixed', 'manual']);
  expect(form.choices.get('start')).toEqual(['now', 'funded']);
  expect(readPageForm(PAGE, '/other').isMultipart).toBe(false);
});

test('error: a page without the form is named', () => {
  expect(() => readPageForm(PAGE, '/my/rewards')).toThrow('The page has no form that leads to /my/rewards.');
});
