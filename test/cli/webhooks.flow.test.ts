import { beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/platform/ids.js';
import { commandsOnTestStore } from './run.js';

const commands = commandsOnTestStore();
const [failing, disabled, healthy] = [newId(), newId(), newId()];
let account: string;

const query = (text: string, values: unknown[] = []) => commands.store.pool.query(text, values);

beforeAll(async () => {
  account = await commands.createAccount('Hooked');
  await query(
    `INSERT INTO webhooks (id, account_id, url, events, secret, is_active, disabled_reason, failing_since)
     VALUES ($1, $4, 'https://user:s3cret@a.example/in?token=s3cret', '{}', 'whsec_s3cret', true, NULL, now()),
            ($2, $4, 'https://b.example/', '{}', 'whsec_s3cret', false, 'failing', now()),
            ($3, $4, 'https://c.example/', '{}', 'whsec_s3cret', true, NULL, NULL)`,
    [failing, disabled, healthy, account],
  );
  await query(
    `INSERT INTO webhook_deliveries (id, webhook_id, type, data, status, failures, next_attempt_at, occurred_at, last_status_code, last_error)
     SELECT new_id(), id, 'webhook.test', '{}', 'failed', 9, NULL, now(), 500, 'answered 500'
     FROM webhooks CROSS JOIN generate_series(1, 3) WHERE id <> $1`,
    [healthy],
  );
});

it('webhook list and failing show webhooks of all accounts with their last failure', async () => {
  const webhooks = await commands.json<{ id: string }[]>('webhook', 'list');
  expect(webhooks.map(({ id }) => id).sort()).toEqual([failing, disabled, healthy].sort());
  const { code, stdout } = await commands.cli('webhook', 'failing');
  expect(code).toBe(0);
  expect(stdout).not.toContain(healthy);
  expect(stdout).toMatch(
    new RegExp(`${failing} +Hooked +${account} +https://a\\.example/in +failing since \\S+ +500 +3`),
  );
  expect(stdout).toMatch(
    new RegExp(`${disabled} +Hooked +${account} +https://b\\.example/ +disabled \\(failing\\) +500 +3`),
  );
  expect(JSON.stringify(webhooks) + stdout).not.toContain('s3cret');
});

it('webhook resend queues failed deliveries again and writes an audit log entry', async () => {
  expect(await commands.json('webhook', 'resend', failing)).toEqual({ webhookId: failing, resent: 3 });
  const { rows } = await query(
    'SELECT DISTINCT status, failures, next_attempt_at <= now() AS due FROM webhook_deliveries WHERE webhook_id = $1',
    [failing],
  );
  expect(rows).toEqual([{ status: 'pending', failures: 0, due: true }]);
  const line = await commands.store.prisma.auditLine.findFirst({ where: { action: 'webhook.resend' } });
  expect(line).toMatchObject({ accountId: account, subject: failing, after: { resent: 3 } });
  expect(await commands.json('webhook', 'resend', failing)).toMatchObject({ resent: 0 });
});

it('webhook resend rejects a disabled webhook without --enable', async () => {
  const refused = await commands.cli('webhook', 'resend', disabled);
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--enable') });
  expect(await commands.json('webhook', 'resend', disabled, '--enable', '--hours', '1')).toMatchObject({ resent: 3 });
  const webhook = await commands.store.prisma.webhook.findUniqueOrThrow({ where: { id: disabled } });
  expect(webhook).toMatchObject({ isActive: true, disabledReason: null, failingSince: null });
  expect((await commands.cli('webhook', 'resend', newId())).stderr).toMatch(/no webhook has this id/i);
});
