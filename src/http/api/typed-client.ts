import { fileURLToPath } from 'node:url';
import { answerFile, holdFile } from '../middleware/cached-file.ts';
import type { App } from '../middleware/context.ts';

/** The client of this version: a copy beside the built service, else the file of the project. */
function clientPath(): string {
  const isBuilt = !import.meta.url.endsWith('.ts');
  return fileURLToPath(new URL(isBuilt ? './client.ts' : '../../../client/gigclaim.ts', import.meta.url));
}

/** `GET /api/client.ts`: a client in TypeScript with the types of this version's document. */
export function addClientRoute(app: App): void {
  const file = holdFile(clientPath(), { 'content-type': 'text/plain; charset=utf-8' });
  app.get('/api/client.ts', async (c) => answerFile(c, await file()));
}
