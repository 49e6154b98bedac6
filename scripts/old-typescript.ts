import { registerHooks } from 'node:module';

/**
 * Loaded before a generator: gives it the compiler's API under the name `typescript`. Both generators write code with
 * that API, which TypeScript has no more since version 7.
 */
const SOURCE = `export { ts as default } from ${JSON.stringify(import.meta.resolve('@ts-morph/common'))};`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'typescript' ? { url: 'old:typescript', shortCircuit: true } : next(specifier, context),
  load: (url, context, next) =>
    url === 'old:typescript' ? { format: 'module', source: SOURCE, shortCircuit: true } : next(url, context),
});
