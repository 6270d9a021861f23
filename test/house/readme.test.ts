import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { findFreePort } from '../support/processes/free-port.js';
import { PROJECT_FOLDER, type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { COMMANDS_TIMEOUT, runDocumentCommands } from './markdown-commands.js';

const readme = readFileSync(join(PROJECT_FOLDER, 'README.md'), 'utf8');

describe('README.md', COMMANDS_TIMEOUT, () => {
  const folder = openFolder('heliograph readme-');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess({ cwd: folder, settings: { PORT: String(await findFreePort()) } });
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a quick start whose commands work as printed on a first start without settings', async () => {
    const outputs = await runDocumentCommands('README.md', folder);
    const [, balanceBefore, singleSend, doubleSend, status, balanceAfter, version2Sends, repeated, template] = outputs;

    expect(JSON.parse(String(balanceBefore))).toMatchObject({ status: 'success', balance: 10_000, currency: 'USD' });
    expect(JSON.parse(String(singleSend))).toMatchObject({ status: 'success', to: '14155550123' });
    expect(JSON.parse(String(doubleSend)).data.map((entry: { to: string }) => entry.to)).toEqual([
      '14155550123',
      '+442071234567',
    ]);
    expect(JSON.parse(String(status))).toMatchObject({
      status: 'delivered',
      message_id: JSON.parse(String(singleSend)).message_id,
    });
    expect(JSON.parse(String(balanceAfter))).toMatchObject({ balance: 9999.97 });
    for (const output of jsonObjects(String(version2Sends)))
      expect(output).toMatchObject({ status: 'success', code: 200 });
    expect(jsonObjects(String(version2Sends))).toHaveLength(3);
    const [first, second] = jsonObjects(String(repeated));
    expect(first).toMatchObject({ status: 'success' });
    expect(second).toEqual(first);
    expect(JSON.parse(String(template))).toMatchObject({ success: true, data: { status: 'sent' } });
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8'));
    const namedScripts = [...readme.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name]) => String(name));
    const missing = namedScripts.filter(
      (name) => !(name in scripts) && !['ci', 'registry', 'start', 'test'].includes(name),
    );
    expect(missing).toEqual([]);
    expect(namedScripts.length).toBeGreaterThan(5);
  });
});

/** Parses JSON objects printed one after another, like the output of several curl calls. */
function jsonObjects(text: string): Record<string, unknown>[] {
  return JSON.parse(`[${text.replace(/\}\s*\{/g, '},{')}]`);
}
