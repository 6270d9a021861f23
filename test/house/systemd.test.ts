import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';

const read = (path: string) => readFileSync(join(PROJECT_FOLDER, path), 'utf8');

function readUnit(name: string): (key: string) => string[] {
  const lines = read(`deploy/systemd/${name}`).matchAll(/^(\w+)=(.*)$/gm);
  const pairs = [...lines].map(([, key, value]) => [key, value] as [string, string]);
  return (key) => pairs.filter(([pairKey]) => pairKey === key).map(([, value]) => value);
}

const readService = readUnit('heliograph.service');
const readRoleService = readUnit('heliograph@.service');

describe.each([
  ['heliograph.service', readService],
  ['heliograph@.service', readRoleService],
])('%s', (_name, values) => {
  it('runs the same command and options as the image', () => {
    const image = /^ENTRYPOINT (.+)$/m.exec(read('Dockerfile'))?.[1] ?? '[]';
    expect(values('ExecStart')).toEqual([`/usr/bin/${JSON.parse(image).join(' ')}`]);
  });

  it('waits longer than a graceful shutdown takes', () => {
    const [seconds] = values('TimeoutStopSec').map((text) => Number(/^(\d+)s$/.exec(text)?.[1]));
    const shutdown = Number(/^#SHUTDOWN_TIMEOUT_MS=(\d+)$/m.exec(read('.env.example'))?.[1]);
    expect(shutdown).toBeGreaterThan(0);
    expect(seconds).toBeGreaterThan(shutdown / 1000);
  });

  it('stores its data in a writable folder', () => {
    const [folder] = values('Environment').filter((text) => text.startsWith('DATA_DIR='));
    expect(folder).toBe(`DATA_DIR=/var/lib/${values('StateDirectory')[0]}`);
    expect(values('ProtectSystem')).toEqual(['strict']);
  });
});

it('the unit of a role differs from the other unit only by the role', () => {
  const withoutRoleLines = (lines: string[]) => lines.filter((line) => line !== 'ROLE=%i' && !line.endsWith('%i.env'));
  const keys = read('deploy/systemd/heliograph.service').matchAll(/^(\w+)=/gm);
  for (const key of new Set([...keys].map(([, name]) => name as string))) {
    if (key === 'Description') continue;
    // The services of all roles share one data folder, because they use each other's files.
    expect(withoutRoleLines(readRoleService(key)), key).toEqual(readService(key).map((text) => text.replace(/^-/, '')));
  }
  expect(readRoleService('Environment')).toContain('ROLE=%i');
});

it("the command in docs/run/install.md uses the unit's settings, and its program exists", () => {
  const page = read('docs/run/install.md');
  const commands = [...page.matchAll(/sudo -u heliograph env (\S+) node (\S+) --env-file (\S+) (account list|"\$@")/g)];
  expect(commands).toHaveLength(2);
  const { bin } = JSON.parse(read('package.json')) as { bin: { heliograph: string } };
  const [file] = readService('EnvironmentFile').map((text) => text.replace(/^-/, ''));
  for (const [, setting, program, envFile] of commands) {
    expect(readService('Environment')).toContain(setting);
    expect(program).toBe(`${readService('WorkingDirectory')[0]}/${bin.heliograph}`);
    expect(envFile).toBe(file);
  }
  // A shell that sources heliograph.env would treat an & in a URL as the end of a command.
  expect(page).not.toMatch(/\. \/etc\/heliograph\/heliograph\.env/);
});
