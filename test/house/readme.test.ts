import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFolder } from '../support/open-folder.js';
import { freePort } from '../support/processes/free-port.js';
import { PROJECT_FOLDER, type ServerProcess, startServerProcess } from '../support/processes/server-process.js';
import { COMMANDS_TAKE, runCommandsOf } from './markdown-commands.js';

const readme = readFileSync(join(PROJECT_FOLDER, 'README.md'), 'utf8');

describe('README.md', COMMANDS_TAKE, () => {
  const folder = openFolder('heliograph readme-');
  let server: ServerProcess;

  beforeAll(async () => {
    server = await startServerProcess({ cwd: folder, settings: { PORT: String(await freePort()) } });
  });

  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has a quick start whose commands work as printed on a first start without settings', async () => {
    const answers = await runCommandsOf('README.md', folder);
    const [, before, one, two, status, after, version2, repeated, template] = answers;

    expect(JSON.parse(String(before))).toMatchObject({ status: 'success', balance: 10_000, currency: 'USD' });
    expect(JSON.parse(String(one))).toMatchObject({ status: 'success', to: '14155550123' });
    expect(JSON.parse(String(two)).data.map((entry: { to: string }) => entry.to)).toEqual([
      '14155550123',
      '+442071234567',
    ]);
    expect(JSON.parse(String(status))).toMatchObject({
      status: 'delivered',
      message_id: JSON.parse(String(one)).message_id,
    });
    expect(JSON.parse(String(after))).toMatchObject({ balance: 9999.97 });
    for (const answer of jsonObjects(String(version2))) expect(answer).toMatchObject({ status: 'success', code: 200 });
    expect(jsonObjects(String(version2))).toHaveLength(3);
    const [first, second] = jsonObjects(String(repeated));
    expect(first).toMatchObject({ status: 'success' });
    expect(second).toEqual(first);
    expect(JSON.parse(String(template))).toMatchObject({ success: true, data: { status: 'sent' } });
  });

  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(readFileSync(join(PROJECT_FOLDER, 'package.json'), 'utf8'));
    const named = [...readme.matchAll(/npm (?:run )?([a-z][a-z:-]*)/g)].map(([, name]) => String(name));
    const missing = named.filter((name) => !(name in scripts) && !['ci', 'registry', 'start', 'test'].includes(name));
    expect(missing).toEqual([]);
    expect(named.length).toBeGreaterThan(5);
  });
});

/** Parses adjacent JSON objects, as curl prints several answers. */
function jsonObjects(text: string): Record<string, unknown>[] {
  return JSON.parse(`[${text.replace(/\}\s*\{/g, '},{')}]`);
}
