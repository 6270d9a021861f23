import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/process/settings/config.js';
import { settings } from '../../src/process/settings/settings.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const run = promisify(execFile);
const example = readFileSync(join(PROJECT_FOLDER, '.env.example'), 'utf8');
const runCheck = (...args: string[]) =>
  run(process.execPath, ['scripts/check-env-example.mjs', ...args], { cwd: PROJECT_FOLDER });

describe('.env.example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-env-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('matches the settings of src/process/settings/settings.ts', async () => {
    await expect(runCheck()).resolves.toBeDefined();
  });

  it('fails the check if a default differs', async () => {
    const changed = join(folder, '.env.example');
    writeFileSync(changed, example.replace('#PORT=3000', '#PORT=3001'));
    await expect(runCheck(changed)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('npm run check:env'),
    });
  });

  it('contains every setting once, and with all lines uncommented the defaults apply', () => {
    const namedSettings = [...example.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(namedSettings).toEqual(Object.keys(settings.properties));
    const everyLine = parseEnv(example.replace(/^#(?=[A-Z_]+=)/gm, ''));
    expect(loadConfig(everyLine)).toEqual(loadConfig({}));
  });
});
