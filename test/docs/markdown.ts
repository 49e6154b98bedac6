import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** Without fenced code: its commands are checked for scripts, not for paths. */
export function prose(text: string): string {
  return text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
}

/** The anchor of a heading, as GitHub makes it. */
export function anchorOf(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
  return text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
}

export function anchors(text: string): string[] {
  return [...prose(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));
}

/** The targets of a text's links, as they are written. */
export function targetsIn(text: string): string[] {
  return [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
}

/** The file of this project to which a link in a document leads, and the anchor there. */
export function placeOf(
  document: string,
  target: string,
): { readonly path: string; readonly anchor: string | undefined } {
  const [path = '', anchor] = target.split('#');
  return { path: path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path)), anchor };
}

/** The text below a heading, with those below it. @throws Error when there is no such heading */
export function sectionOf(text: string, heading: string): string {
  const lines = text.split('\n');
  let inCode = false;
  const levels = lines.map((line) => {
    if (/^ *```/.test(line)) inCode = !inCode;
    return inCode ? 0 : (/^#+(?= )/.exec(line)?.[0].length ?? 0);
  });
  const first = lines.findIndex((line, at) => levels[at] !== 0 && line.replace(/^#+ /, '') === heading);
  if (first === -1) throw new Error(`there is no heading ${heading}`);
  const own = levels[first] ?? 0;
  const next = levels.findIndex((level, at) => at > first && level > 0 && level <= own);
  return lines.slice(first, next === -1 ? undefined : next).join('\n');
}
