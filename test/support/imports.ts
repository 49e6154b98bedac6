/** One import of a source file. */
export interface Import {
  /** As it is written: `./a.ts`, `node:fs`, `hono`. */
  readonly specifier: string;
  /** Whether it disappears when types are stripped. */
  readonly typeOnly: boolean;
}

const COMMENT_LINE = /^\s*(\/\/|\/\*|\*).*$/gm;
const TRAILING_COMMENT = /\s\/\/.*$/gm;

const STATIC = [
  /^import\s+(?<type>type\s+)?[\w*{}\s,$]+?\s*from\s*['"](?<specifier>[^'"]+)['"]/gm,
  /^import\s*['"](?<specifier>[^'"]+)['"]/gm,
  /^export\s+(?<type>type\s+)?(?:\*(?:\s*as\s+\w+)?|\{[^}]*\})\s*from\s*['"](?<specifier>[^'"]+)['"]/gm,
];
const DYNAMIC = /\b(?:import|require)\s*\(\s*(?:['"`](?<specifier>[^'"`$]+)['"`])?/g;

/**
 * A source without its comment lines and trailing comments, line for line. Formatted code is assumed: a comment block
 * starts each of its lines with a star, a trailing comment follows white space.
 */
export function withoutComments(source: string): string {
  return source.replace(COMMENT_LINE, '').replace(TRAILING_COMMENT, '');
}

/**
 * Every static and dynamic import and re-export of a formatted source. A dynamic import of something computed has the
 * specifier `?`, because nobody can say where it leads.
 */
export function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const found = STATIC.flatMap((pattern) => [...code.matchAll(pattern)]).map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? '?',
    typeOnly: groups?.['type'] !== undefined,
  }));
  const dynamic = [...code.matchAll(DYNAMIC)].map(({ groups }) => ({
    specifier: groups?.['specifier'] ?? '?',
    typeOnly: false,
  }));
  return [...found, ...dynamic];
}
