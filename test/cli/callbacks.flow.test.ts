import { beforeAll, describe, expect, it } from 'vitest';
import { insertCallbacks } from '../../src/carriers/callbacks/callback-store.js';
import { countUnmatchedByKind } from '../../src/carriers/callbacks/unmatched/kinds-store.js';
import { buildEnvelope, buildInbound, buildStatus } from '../support/carriers/cloud-api/webhooks.js';
import { commandsOnTestStore } from './run.js';

interface StoredReport {
  id: string;
  kind: string;
  reason: string;
  channelId: string | null;
  ids: string[];
  form: string;
}

const SECRET = 'a secret of the test of at least 32 characters';
const commands = commandsOnTestStore({ env: { KEPT_REPORTS_SECRET: SECRET } });
const { cli, json } = commands;
const list = (...args: string[]) => json<StoredReport[]>('callbacks', 'list', ...args);
const replay = (...args: string[]) => json('callbacks', 'replay', ...args);

async function storeSetAside(...bodies: object[]): Promise<void> {
  const callbacks = bodies.map((body) => ({ carrier: 'meta', body: Buffer.from(JSON.stringify(body)) }));
  await insertCallbacks(commands.store.pool, callbacks);
  await commands.store.pool.query('UPDATE carrier_callbacks SET set_aside_at = now()');
}
const countRows = async (table: string) => (await commands.store.pool.query(`SELECT FROM ${table}`)).rowCount;

beforeAll(async () => {
  const secrets = ['accessToken', 'appSecret', 'verifyToken'].flatMap((name) => ['--set', `${name}=a-word-of-its-own`]);
  await json('carrier', 'add', 'meta', '--type', 'whatsapp-cloud', ...secrets, '--set', 'businessAccountId=1022901');
});

describe('stored carrier reports', () => {
  it('include the content of callbacks that were set aside, after a replay', async () => {
    await storeSetAside(
      buildEnvelope({
        ...buildInbound('text', { body: 'Is anybody there?' }),
        statuses: [buildStatus('wamid.1', 'evaporated')],
      }),
      buildEnvelope({ groups: [{ subject: 'Friends' }] }, { field: 'group_settings_update' }),
    );
    expect(await replay('--carrier', 'nobody')).toEqual({ applied: 0, unknown: 0, unopened: 0, failed: 0 });
    expect(await replay()).toMatchObject({ applied: 0, failed: 0 });
    expect(await countRows('carrier_callbacks')).toBe(0);
    expect((await list()).map(({ kind, reason }) => `${kind} ${reason}`).sort()).toEqual([
      'field:group_settings_update unknown',
      'inbound:text no-channel',
      'status:evaporated unknown',
    ]);
  });

  it('can be listed by kind, carrier and time, and shown with their body', async () => {
    const [report] = await list('--kind', 'inbound:text');
    expect(report).toMatchObject({ ids: expect.arrayContaining(['16505551234']), form: 'sealed' });
    expect(await list('--carrier', 'nobody')).toEqual([]);
    expect(await list('--until', '2020-01-01')).toEqual([]);
    expect(await list('--since', '2020-01-01', '--limit', '2')).toHaveLength(2);
    const output = await cli('callbacks', 'show', report?.id as string);
    expect(output.stdout).toContain('Is anybody there?');
    expect((await cli('callbacks', 'list')).stdout).not.toContain('Is anybody there?');
  });

  it.each([
    [['callbacks', 'show', 'nonsense'], 'must be the ID of a report'],
    [['callbacks', 'show', '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'], 'no stored report with the ID'],
    [['callbacks', 'list', '--since', 'yesterday'], 'must be a date or time'],
  ])('%j is refused', async (args, problem) => {
    const { code, stderr } = await cli(...args);
    expect(code).toBe(1);
    expect(stderr).toContain(problem);
  });

  it('are counted by kind, and appear in doctor', async () => {
    expect(await countUnmatchedByKind(commands.store.pool)).toEqual([
      { kind: 'field:group_settings_update', reports: 1 },
      { kind: 'inbound:text', reports: 1 },
      { kind: 'status:evaporated', reports: 1 },
    ]);
    const findings = await cli('doctor');
    expect(findings.stdout).toContain('3 carrier reports are stored');
    expect(findings.stdout).toContain('field:group_settings_update (1)');
  });

  it('stay stored when another secret is set', async () => {
    const { code, stdout } = await commands.cliWith(
      { KEPT_REPORTS_SECRET: `another ${SECRET}` },
      'callbacks',
      'replay',
    );
    expect(code).toBe(0);
    expect(stdout).toContain('0 applied');
    expect(stdout).toContain('3 encrypted with a secret');
    expect(await list()).toHaveLength(3);
  });

  it('are applied once their channel exists, and the others stay stored', async () => {
    const account = await commands.createAccount('Shop');
    await json(
      ...['channel', 'create', '--account', account, '--name', 'Shop', '--phone', '15550783881', '--carrier', 'meta'],
      ...['--set', 'phoneNumberId=106540352242922'],
    );
    expect(await replay('--kind', 'inbound:text')).toEqual({ applied: 1, unknown: 0, unopened: 0, failed: 0 });
    const { rows } = await commands.store.pool.query('SELECT body FROM inbound_messages');
    expect(rows).toEqual([{ body: 'Is anybody there?' }]);
    expect(await replay()).toEqual({ applied: 0, unknown: 2, unopened: 0, failed: 0 });
    const lines = await json<{ action: string; after: object }[]>('audit', 'list', '--action', 'callbacks.replay');
    expect(lines[0]).toMatchObject({ after: { applied: 0, unknown: 2 } });
  });

  it('are erased with a person that they mention', async () => {
    await storeSetAside(
      buildEnvelope({ statuses: [{ ...buildStatus('wamid.9', 'evaporated'), recipient_id: '16505559876' }] }),
    );
    await replay();
    expect(await list()).toHaveLength(3);
    await json('erase', '+1 650 555 9876', '--yes');
    const remaining = await list();
    expect(remaining.flatMap(({ ids }) => ids)).not.toContain('16505559876');
    expect(remaining).toHaveLength(2);
  });
});
