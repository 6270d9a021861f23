import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ListenError } from '../../src/process/listening.js';
import { describeOwnRedis, startRedis } from '../support/processes/redis-server.js';
import { runToEnd } from '../support/processes/run-to-end.js';
import { PROJECT_FOLDER } from '../support/processes/server-process.js';
import { asAdmin, createDatabaseForTest } from '../support/store/databases.js';
import { waitFor } from '../support/wait-for.js';

async function expectFailedStart(settings: Readonly<Record<string, string>>): Promise<string> {
  const { code, output } = await runToEnd({ PORT: '0', LOG_LEVEL: 'error', ...settings });
  expect(output).not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
  return output;
}

function createTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'heliograph-start-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

describe('a DATA_DIR that cannot be used', () => {
  it('is rejected when it is a file or inside one', async () => {
    const file = join(createTemporaryFolder(), 'file');
    writeFileSync(file, '');
    expect(await expectFailedStart({ DATA_DIR: file })).toContain(
      `Cannot use DATA_DIR ${file}: something that is not a folder has this name.`,
    );
    expect(await expectFailedStart({ DATA_DIR: join(file, 'below') })).toContain('part of its path is not a folder');
  });

  it('is rejected when it links to a missing folder, which may be on an unmounted disk', async () => {
    const folder = createTemporaryFolder();
    const link = join(folder, 'link');
    symlinkSync(join(folder, 'disk', 'data'), link);
    for (const dataDir of [link, join(link, 'below')]) {
      expect(await expectFailedStart({ DATA_DIR: dataDir })).toContain(
        `Cannot use DATA_DIR ${dataDir}: ${link} is a link to ${join(folder, 'disk', 'data')}, which does not exist. Mount or create`,
      );
    }
    expect(readdirSync(folder)).toEqual(['link']);
  });

  it('is rejected when its path is too long for PostgreSQL', async () => {
    const dataDir = join(createTemporaryFolder(), ...Array.from({ length: 7 }, () => 'd'.repeat(180)));
    expect(await expectFailedStart({ DATA_DIR: dataDir })).toContain('bytes, and PostgreSQL allows 900.');
  });

  it.runIf(process.platform === 'linux')('is rejected when the folder cannot be created', async () => {
    expect(await expectFailedStart({ DATA_DIR: '/proc/x' })).toContain(
      'Cannot use DATA_DIR /proc/x: the folder cannot be created there. Set DATA_DIR to a folder',
    );
  });
});

describe('an old version of Node.js', () => {
  it.each([
    ['dist/main.js', 'v20.18.3'],
    ['dist/cli/main.js', 'v18.20.8'],
  ])('is rejected by %s before anything else is loaded', (script, version) => {
    const versions = JSON.stringify({ ...process.versions, node: version.slice(1) });
    const pretend = `data:text/javascript,Object.defineProperty(process,'versions',{value:${encodeURIComponent(versions)}})`;
    const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, join(PROJECT_FOLDER, script)], {
      encoding: 'utf8',
    });
    expect(stderr).toBe(
      `Heliograph cannot start. Heliograph needs Node.js 20.19 or later; this is ${version.slice(1)}.\n`,
    );
    expect(status).toBe(1);
  });
});

describe('.env', () => {
  it('must not contain a name that resembles a setting', () => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, '.env'), 'DATABSE_URL=x\nPOSTGRES_PASSWORD=x\nPUBLISH=x\nSMSC_PASSWORD=x\nport=1\n');
    const { status, stderr } = spawnSync(process.execPath, [join(PROJECT_FOLDER, 'dist/main.js')], {
      cwd: folder,
      env: { PATH: process.env.PATH, PORT: '0', RATE_LIMITS_PER_SECOND: 'not in the file' },
      encoding: 'utf8',
    });
    expect(stderr).toBe(
      [
        'Heliograph cannot start. 2 settings are invalid:',
        '  DATABSE_URL in .env is not a setting: did you mean DATABASE_URL?',
        '  port in .env is not a setting: did you mean PORT?',
        '',
      ].join('\n'),
    );
    expect(status).toBe(1);
  });

  it.each([
    ['UTF-8', '\ufeffport=1\n', 'utf8'],
    ['UTF-16', '\ufeffport=1\r\n', 'utf16le'],
  ] as const)('may begin with a byte order mark in %s', (_encoding, text, encoding) => {
    const folder = createTemporaryFolder();
    writeFileSync(join(folder, '.env'), Buffer.from(text, encoding));
    const { stderr } = spawnSync(process.execPath, [join(PROJECT_FOLDER, 'dist/main.js')], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      encoding: 'utf8',
    });
    // The byte order mark must not become part of the setting's name.
    expect(stderr).toContain('  port in .env is not a setting: did you mean PORT?');
  });
});

describe('HOST', () => {
  it('must not be an IPv6 address when the kernel has no IPv6', () => {
    const cause = Object.assign(new Error('listen EAFNOSUPPORT'), { code: 'EAFNOSUPPORT' });
    expect(new ListenError({ host: '::1', port: 3000 }, cause).message).toBe(
      'This machine has no address ::1 to listen on. Set HOST to one of its addresses.',
    );
  });
});

describe('SMS_CARRIER', () => {
  it('must name a carrier', async () => {
    const output = await expectFailedStart({ DATABASE_URL: await createDatabaseForTest(), SMS_CARRIER: 'smsc' });
    expect(output).toContain('SMS_CARRIER is smsc, but no carrier has this name. Create it with');
    expect(output).toContain('or set SMS_CARRIER to one of: simulator.');
  });
});

describe('a store migrated by a later version', () => {
  it('is rejected', async () => {
    const url = await createDatabaseForTest();
    await asAdmin(
      url,
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20991231_later', now())`,
    );
    expect(await expectFailedStart({ DATABASE_URL: url })).toMatch(
      /^Heliograph cannot start\. A later version of Heliograph has migrated this database \(20991231_later\).*\n$/,
    );
  });
});

describe('a store without any account', () => {
  it('causes one warning, and the server runs', async () => {
    const settings = { DATABASE_URL: await createDatabaseForTest(), PORT: '0' };
    const { code, output } = await runToEnd(settings, async (child, readOutput) => {
      await waitFor('the warning', () => readOutput().includes('Nobody can sign in'));
      child.kill('SIGTERM');
    });
    expect(output.match(/There is no account yet.*heliograph account create <name>/g)).toHaveLength(1);
    expect(code).toBe(0);
  });
});

describeOwnRedis('a Redis that evicts keys', () => {
  it('is rejected', async () => {
    const redis = await startRedis({ evicting: true });
    onTestFinished(() => redis.close());
    expect(await expectFailedStart({ DATABASE_URL: await createDatabaseForTest(), REDIS_URL: redis.url })).toContain(
      'Redis (REDIS_URL) has the maxmemory-policy allkeys-lru, so it deletes parts of the queue',
    );
  });
});
