/** A command of a document, and what the document says that it prints; null where it does not say. */
export interface Step {
  readonly command: string;
  readonly printed: string | null;
}

/** The text below these headings of the second level, in the order of the document. */
export function sectionsOf(markdown: string, headings: readonly string[]): string {
  const sections = markdown.split(/^## /m).slice(1);
  const chosen = sections.filter((section) => headings.includes(section.slice(0, section.indexOf('\n'))));
  if (chosen.length !== headings.length) throw new Error(`one of these sections is missing: ${headings.join(', ')}`);
  return chosen.join('');
}

/** `$ command`, lines of it that are indented by four spaces, and then what it prints. */
function readConsole(block: string): Step[] {
  return block
    .split(/\n+(?=\$ )/)
    .map((part) => part.trimEnd().split('\n'))
    .map((lines) => {
      const end = lines.findIndex((line, index) => index > 0 && !line.startsWith('    '));
      const [command, printed] = end === -1 ? [lines, []] : [lines.slice(0, end), lines.slice(end)];
      return { command: command.join('\n').replace(/^\$ /, ''), printed: printed.join('\n') || null };
    });
}

/** The commands of a text: those of its `console` blocks, and its `sh` blocks, each with the answer that follows it. */
export function stepsOf(markdown: string): Step[] {
  const blocks = markdown.matchAll(/^```(sh|console)\n([\s\S]*?)^```$(?:\s*^```(?:json|text)\n([\s\S]*?)^```$)?/gm);
  return [...blocks].flatMap(([, kind, block = '', printed]) =>
    kind === 'console' ? readConsole(block) : [{ command: block.trimEnd(), printed: printed?.trimEnd() ?? null }],
  );
}

/** What differs in each run: hashes, posts, times and blocks, each with an expression for any such value. */
const DIFFERENT: readonly (readonly [RegExp, string])[] = [
  [/0x[0-9a-f]{64}/g, '0x[0-9a-f]{64}'],
  [/(farcaster\\\.xyz\/\w+\/)0x[0-9a-f]+/g, '$10x[0-9a-f]+'],
  [/(x\\\.com\/\w+\/status\/)[0-9]+/g, '$1[0-9]+'],
  [/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\\.[0-9]{3}Z/g, '[0-9TZ:.-]{24}'],
  [/[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}, [0-9]{2}:[0-9]{2} UTC/g, '[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4}, [0-9:]{5} UTC'],
  [/at block [0-9]+/g, 'at block [0-9]+'],
  [/…/g, '[\\s\\S]*?'],
];

/** An object is in one line, whatever the document breaks it into; columns are as wide as what is in them. */
function inOneForm(printed: string): string {
  const text = printed.trim();
  return (text.startsWith('{') ? text.replaceAll(/\n\s*/g, '') : text)
    .replaceAll(/ +\n/g, '\n')
    .replaceAll(/ {2,}/g, '  ');
}

/** Whether a command has printed what the document says, but for what differs in each run and what it leaves out as `…`. */
export function isPrinted(documented: string, printed: string): boolean {
  const exact = inOneForm(documented)
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replaceAll(String.raw`\/`, '/');
  const pattern = DIFFERENT.reduce((text, [value, any]) => text.replaceAll(value, any), exact);
  return new RegExp(`^${pattern}$`).test(inOneForm(printed));
}
