import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';
import { code, renderTable } from './markers.mjs';

const SAMPLES = fileURLToPath(new URL('../../../test/support/webhooks/documented-events.ts', import.meta.url));

let loaded;
async function load() {
  loaded ??= (await runnerImport(SAMPLES, { configFile: false, logLevel: 'error' })).module.listDocumentedEvents();
  return loaded;
}

export async function listEvents() {
  const { WEBHOOK_EVENTS } = await import(
    new URL('../../../dist/messages/events/webhook-events.js', import.meta.url).href
  );
  const rows = (await load()).map(({ type, forChannel, forAccount }) => {
    const isTest = !forChannel && !forAccount;
    return [
      `[${code(type)}](#${type.replaceAll('.', '')})`,
      WEBHOOK_EVENTS[type].description,
      ...[forChannel, forAccount].map((receives) => (isTest ? 'always' : receives ? 'yes' : 'no')),
    ];
  });
  return renderTable(['event', 'when', 'webhook of a channel', 'webhook of an account'], rows);
}

export async function describeEvents() {
  return (await load())
    .map(({ type, description, body, fields }) => {
      const json = JSON.stringify(body, null, 2);
      const table = renderTable(
        ['field of `data`', 'meaning'],
        fields.map(([name, meaning]) => [code(name), meaning]),
      );
      return `### ${type}\n\n${description}\n\n\`\`\`json\n${json}\n\`\`\`\n\n${table}`;
    })
    .join('\n\n');
}
