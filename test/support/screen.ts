const ERASED = '\x1b[K';

/** A terminal of one line, on which what follows an erased line stands alone. */
export function createFakeScreen(width: number) {
  const lines: string[] = [];
  let line = '';
  return {
    width,
    write(text: string): void {
      const at = text.lastIndexOf(ERASED);
      line = at < 0 ? line + text : text.slice(at + ERASED.length);
      if (line !== '') lines.push(line);
    },
    /** Every line that was to be seen, in order. */
    lines: (): readonly string[] => lines,
    /** What is to be seen now. */
    line: (): string => line,
  };
}
