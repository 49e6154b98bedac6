import { ts } from '@ts-morph/common';
import type { Sources } from './architecture.ts';

/** The lines of a file that hold more than comments. */
function codeLines(file: ts.SourceFile): ReadonlySet<number> {
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(file);
    for (const child of children) visit(child);
    if (children.length > 0) return;
    const [first, last] = linesOf(node, file);
    for (let line = first; line <= last; line += 1) lines.add(line);
  };
  visit(file);
  return lines;
}

function linesOf(node: ts.Node, file: ts.SourceFile): [number, number] {
  const lineAt = (position: number) => file.getLineAndCharacterOfPosition(position).line;
  return [lineAt(node.getStart(file)), lineAt(node.end)];
}

function nameOf(node: ts.Node): string {
  const isNamed = (each: ts.Node) => ts.isFunctionDeclaration(each) || ts.isVariableDeclaration(each);
  return ts.findAncestor(node, isNamed)?.name?.getText() ?? '';
}

/**
 * Each function of more lines than so many, those of functions within it included; a line without code does not count. As
 * `path name: lines`.
 */
export function longFunctions(sources: Sources, most: number): string[] {
  return [...sources].flatMap(([path, source]) => {
    if (source.split('\n').length <= most) return [];
    const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    let code: ReadonlySet<number> | null = null;
    const visit = (node: ts.Node): void => {
      const [first, last] = ts.isFunctionLike(node) ? linesOf(node, file) : [0, 0];
      if (last - first >= most) {
        code ??= codeLines(file);
        const lines = [...code].filter((line) => line >= first && line <= last).length;
        if (lines > most) found.push(`${path} ${nameOf(node)}: ${lines}`);
      }
      ts.forEachChild(node, visit);
    };
    visit(file);
    return found;
  });
}
