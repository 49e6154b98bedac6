const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

function nameIn(text: string, names: readonly (readonly [RegExp, string])[]): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}

/** What an owner tells a session from others by: `Wallet, Firefox on Linux`. The header itself is not kept. */
export function sessionLabel(way: string, userAgent: string | undefined): string {
  const text = userAgent ?? '';
  const browser = nameIn(text, BROWSERS) ?? 'another program';
  const system = nameIn(text, SYSTEMS);
  return `${way}, ${browser}${system === undefined ? '' : ` on ${system}`}`;
}
