/** `compose.yaml` of a release: with the image that was made of it, by its digest, and nothing that is built. */
export function composeOf(compose: string, image: string): string {
  if (!/^[a-z0-9][\w./-]*:[\w.-]+@sha256:[0-9a-f]{64}$/.test(image)) {
    throw new Error(`an image is name:version@sha256:digest, got ${image}`);
  }
  const made = compose.replace(/^ {2}build: \.\n {2}image: gigclaim:.*$/m, `  image: ${image}`);
  if (made === compose) throw new Error('compose.yaml names no image that it builds');
  return made;
}

/** What the changelog says of one version, without its heading; links lead to the documents of that version. */
export function notesOf(changelog: string, { version, source }: { version: string; source: string }): string {
  const sections = changelog.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${version} (`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no ${version} with a date`);
  const text = section.slice(section.indexOf('\n') + 1).trim();
  return `${text.replaceAll(/\]\((?!https?:|#)/g, `](${source}/`)}\n`;
}
