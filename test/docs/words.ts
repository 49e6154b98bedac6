/** A document without fenced code and comments. */
function prose(markdown: string): string {
  return markdown.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '').replaceAll(/<!--[\s\S]*?-->/g, '');
}

/** The text of a section, from its heading to the next heading. */
function withoutTableOf(markdown: string, heading: string): string {
  const section = new RegExp(`^#{2,3} ${heading}\\n[\\s\\S]*?(?=^#|(?![\\s\\S]))`, 'm');
  return markdown.replace(section, (text) => text.replaceAll(/^\|.*$/gm, ''));
}

/**
 * How many words a document has, as `wc -w` counts them outside fenced code and comments: texts between spaces, the bars of a
 * table among them.
 */
export function wordsOf(markdown: string, tablesOf: readonly string[] = []): number {
  const counted = tablesOf.reduce((text, heading) => withoutTableOf(text, heading), prose(markdown));
  return counted.split(/\s+/).filter((word) => word !== '').length;
}

/** Lines that continue a paragraph or an item are put behind its first line. A cell of a table is a line. */
function blocks(markdown: string): string[] {
  const rows = prose(markdown).replaceAll(/^\|.*\|$/gm, (row) => row.replaceAll(/(?<!\\)\|/g, '\n\n'));
  return rows
    .replaceAll(/\n *(?=[-*] |[0-9]+\. |#|>)/g, '\n\n')
    .replaceAll(/^#.*$/gm, (heading) => `${heading}\n`)
    .split(/\n\s*\n/)
    .map((block) => block.replaceAll(/\s+/g, ' ').trim())
    .filter((block) => block !== '');
}

/** The sentences of a document that have more words than a number. Code and links count as they are read. */
export function longSentences(markdown: string, most: number): string[] {
  return blocks(markdown)
    .map((block) => block.replaceAll(/\]\([^)\s]*\)/g, ']').replaceAll(/`[^`]*`/g, 'code'))
    .flatMap((block) => block.split(/(?<=[.!?:]["”)*]*) +/))
    .filter((sentence) => sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length > most);
}
