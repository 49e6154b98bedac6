import { html } from 'hono/html';
import type { Markup } from '../../ui/layout.ts';
import { renderUntrusted } from '../../ui/text.ts';
import type { EarningField, Filled } from './earning-fields.ts';
import { type FormProblems, LABELS } from './fields.ts';

/** A form that is to be shown with what was typed. */
export interface ShownForm {
  readonly filled: Filled;
  /** Null when it was not sent yet. */
  readonly problems: FormProblems | null;
}

type Option = readonly [value: string, label: string];

/** The gig types for which a field counts; without it the field counts for all. */
interface Use {
  readonly types?: readonly string[];
}

interface Described extends Use {
  readonly hint?: string | undefined;
}

/** The first of the fields, in their order, with which something is wrong. */
function firstWrong({ problems }: ShownForm): string | undefined {
  return problems === null ? undefined : Object.keys(LABELS).find((name) => problems.fields.has(name));
}

/** Marks what a style hides while another type is chosen. */
function usedFor({ types }: Use): Markup {
  return types === undefined ? html`` : html` data-types="${types.join(' ')}"`;
}

/** What describes a control: its hint and what is wrong with it. The first that is wrong has the focus. */
function describe(form: ShownForm, name: string, hint: string | undefined) {
  const problem = form.problems?.fields.get(name);
  const ids = [...(hint === undefined ? [] : [`${name}-hint`]), ...(problem === undefined ? [] : [`${name}-problem`])];
  const described = html`${ids.length === 0 ? '' : html` aria-describedby="${ids.join(' ')}"`}${problem === undefined ? '' : html` aria-invalid="true"`}`;
  return {
    described,
    focused: firstWrong(form) === name ? html` autofocus` : html``,
    below: html`${hint === undefined ? '' : html`<p class="muted small" id="${name}-hint">${hint}</p>`}${problem === undefined ? '' : html`<p class="notice bad" id="${name}-problem">${problem}</p>`}`,
  };
}

function renderField(form: ShownForm, name: string, { hint, types }: Described, control: (more: Markup) => Markup) {
  const { described, focused, below } = describe(form, name, hint);
  return html`<div${usedFor(types === undefined ? {} : { types })}><label for="${name}">${LABELS[name]}</label>
${control(html`${described}${focused}`)}
${below}</div>`;
}

/** A list to choose one from. */
export function renderSelect(form: ShownForm, name: string, options: readonly Option[], more: Described = {}): Markup {
  const chosen = form.filled[name];
  const isOffered = options.some(([value]) => value === chosen);
  // A browser would choose the first one for what is not offered.
  const all = isOffered || options.length === 0 ? options : [['', 'Choose'] as const, ...options];
  return renderField(
    form,
    name,
    more,
    (described) =>
      html`<select id="${name}" name="${name}"${described}>${all.map(([value, label]) => html`<option value="${value}"${value === (isOffered ? chosen : '') ? html` selected` : ''}>${renderUntrusted(label)}</option>`)}</select>`,
  );
}

/** A line of text. @param attributes what else the control has */
export function renderInput(
  form: ShownForm,
  name: string,
  { attributes = html``, ...more }: Described & { readonly attributes?: Markup } = {},
): Markup {
  return renderField(
    form,
    name,
    more,
    (described) =>
      html`<input id="${name}" name="${name}" value="${form.filled[name]}" autocomplete="off"${described}${attributes}>`,
  );
}

/** Some lines of text. */
export function renderText(form: ShownForm, name: string, more: Described = {}): Markup {
  return renderField(
    form,
    name,
    more,
    (described) =>
      html`<textarea id="${name}" name="${name}" rows="3" maxlength="2000"${described}>${form.filled[name]}</textarea>`,
  );
}

/** A field that a rule or the gates bring. */
export function renderEarningField(form: ShownForm, { name, field }: EarningField): Markup {
  const { input, usual, hint } = field;
  if (typeof input !== 'string') {
    return renderSelect(
      form,
      name,
      input.map(({ value, label }): Option => [String(value), label]),
      { hint },
    );
  }
  if (input === 'address') {
    return renderInput(form, name, { hint, attributes: html` spellcheck="false" placeholder="0x…"` });
  }
  return renderInput(form, name, {
    hint,
    attributes: html` inputmode="decimal"${usual === undefined ? '' : html` placeholder="${usual}"`}`,
  });
}

/** A choice among radio buttons, each of which may have fields of its own, which count while it is chosen. */
export function renderChoices(
  form: ShownForm,
  name: string,
  choices: readonly (Use & { readonly value: string; readonly label: string; readonly fields?: Markup | undefined })[],
): Markup {
  const { described, focused, below } = describe(form, name, undefined);
  const chosen = choices.find(({ value }) => value === form.filled[name]) ?? choices[0];
  const isPlain = choices.every(({ fields }) => fields === undefined);
  return html`<fieldset class="choices${isPlain ? ' inline' : ''}"${described}><legend>${LABELS[name]}</legend>
${choices.map(
  ({ fields, label, value, ...use }) =>
    html`<div class="choice"${usedFor(use)}><label><input type="radio" name="${name}" value="${value}"${value === chosen?.value ? html` checked${focused}` : ''}> ${label}</label>
${fields === undefined ? '' : html`<div class="choice-fields">${fields}</div>`}</div>`,
)}
${below}</fieldset>`;
}
