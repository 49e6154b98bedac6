import { ts } from '@ts-morph/common';

/** What a string says, with `…` for what is put in; null for an expression that is no string. */
function textOf(node: ts.Node): string | null {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return null;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === null && right === null ? null : `${left ?? '…'}${right ?? '…'}`;
}

const isMarkup = (text: string) => /<\/?[a-z]/.test(text);

/** The texts of a string: of markup what stands between its tags, each a paragraph of its own. */
function shownIn(text: string): string[] {
  const texts = isMarkup(text) ? text.split(/<[^>]*>/) : [text];
  return texts.map((each) => each.replaceAll(/\s+/g, ' ').trim());
}

/** A label begins like a question, and is none: `Who earns`. */
const asRead = (text: string) => (/[.!?]$/.test(text) ? text : `… ${text}`);

/** The texts of a source file that people may read: its strings of three words and more. */
export function stringsOf(source: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isLiteralTypeNode(node)) return;
    const text = textOf(node);
    if (text !== null) found.push(...shownIn(text).filter((each) => /\S \S+ \S/.test(each)));
    // The parts of a sum are in its text already; what is put into a template is not.
    if (text === null || ts.isTemplateExpression(node)) ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest));
  return found.map(asRead);
}

/** The doc comments of what a source file exports. Each begins with a name for the export, which is no sentence. */
export function docsOf(source: string): string[] {
  const comments = source.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/(?=\s*export )/g);
  return [...comments].map(
    ([, text = '']) =>
      `… ${text
        .replaceAll(/^\s*\* ?/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim()}`,
  );
}
