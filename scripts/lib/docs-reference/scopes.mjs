import { readFileSync } from 'node:fs';
import { code, renderTable } from './markers.mjs';

/** Lists the operations that each scope allows, from the OpenAPI document. */
export async function describeScopes() {
  const { paths } = JSON.parse(readFileSync(new URL('../../../dist/openapi.json', import.meta.url), 'utf8'));
  const { CHANNEL_KEY_SCOPES } = await import(new URL('../../../dist/accounts/keys.js', import.meta.url).href);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { description = '' }]) => ({
      operation: `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`,
      scope: /Requires the scope `([\w:]+)`/.exec(description)?.[1],
    })),
  );
  const rows = CHANNEL_KEY_SCOPES.map((scope) => {
    const allowed = operations.filter((each) => each.scope === scope).map(({ operation }) => code(operation));
    if (scope !== 'full' && allowed.length === 0) throw new Error(`no operation requires the scope ${scope}`);
    return [code(scope), scope === 'full' ? 'everything on the channels of the key' : allowed.join(', ')];
  });
  return renderTable(['scope', 'operations'], rows);
}
