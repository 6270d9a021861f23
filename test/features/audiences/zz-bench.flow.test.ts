import { it } from 'vitest';
import { previewCondition } from '/tmp/w/audiences/src/features/audiences/preview.js';
import { buildMembersSql } from '/tmp/w/audiences/src/features/audiences/contact-filter.js';
import { createAudience } from '/tmp/w/audiences/src/features/audiences/audiences.js';
import { createField } from '/tmp/w/audiences/src/features/contacts/custom/fields.js';
import { createTestChannel } from '/tmp/w/audiences/test/support/channels.js';
import { suiteStore } from '/tmp/w/audiences/test/support/for-suite.js';
const store = suiteStore();
it('bench', async () => {
  const channel = await createTestChannel(store);
  const scope = { accountId: channel.account.id, channelId: channel.channelId };
  const now = new Date();
  await createField(store, scope.accountId, { key: 'plan', label: 'p', type: 'choice', choices: ['basic', 'pro'] }, now);
  await createField(store, scope.accountId, { key: 'seats', label: 's', type: 'number' }, now);
  await createField(store, scope.accountId, { key: 'city', label: 'c', type: 'text' }, now);
  await createField(store, scope.accountId, { key: 'since', label: 'd', type: 'date' }, now);
  for (let i = 0; i < 16; i++) await createField(store, scope.accountId, { key: 'f' + i, label: 'f', type: 'text' }, now);
  const N = 1_000_000;
  const fill = Array.from({ length: 16 }, (_, i) => `'f${i}','value ' || (g*${i + 1}) % 1000`).join(',');
  console.log('insert', new Date());
  for (let s = 1; s < N; s += 50_000)
  await store.pool.query(`INSERT INTO contacts (id, account_id, channel_id, phone, name, tags, fields, created_at)
    SELECT (lpad(to_hex(1760000000000 + g * 100), 12, '0') || '7' || substr(md5(g::text), 1, 3) || 'a' || substr(md5(g::text), 4, 15))::uuid, $1, $2,
      (ARRAY['3361','4477','4915','1415'])[1 + g % 4] || lpad(g::text, 8, '0'), 'Person ' || g,
      CASE WHEN g % 100 = 0 THEN ARRAY['rare'] WHEN g % 3 = 0 THEN ARRAY['all'] END,
      jsonb_build_object('plan', CASE WHEN g % 4 = 0 THEN 'pro' ELSE 'basic' END, 'seats', g % 1000, 'city', 'City ' || g % 500, 'since', '2026-01-' || lpad((1 + g % 28)::text, 2, '0'), ${fill}),
      now() - (g % 365) * interval '1 day' FROM generate_series(${s}, ${s + 49_999}) g`, [scope.accountId, scope.channelId]);
  await store.pool.query(`INSERT INTO conversations (id, account_id, channel_id, contact_id, last_inbound_at, last_message_at, last_outbound_at, created_at)
    SELECT gen_random_uuid(), account_id, channel_id, id, CASE WHEN random() < 0.3 THEN now() - random() * interval '90 days' END, now(), now(), now() - interval '90 days' FROM contacts WHERE channel_id = $1`, [scope.channelId]);
  await store.prisma.channel.update({ where: { id: scope.channelId }, data: { contactCount: N } });
  await store.pool.query('VACUUM ANALYZE contacts'); await store.pool.query('VACUUM ANALYZE conversations');
  console.log('inserted', new Date(), (await store.pool.query("select pg_size_pretty(pg_table_size('contacts')) s, current_setting('shared_buffers') b")).rows[0]);
  const t = (field: string, operator: any, value?: any) => ({ field, operator, ...(value !== undefined && { value }) });
  const cases: [string, any][] = [
    ['country FR', t('country', 'is', 'FR')], ['country US', t('country', 'is', 'US')],
    ['plan pro', t('fields.plan', 'is', 'pro')], ['tag rare', t('tags', 'has', 'rare')], ['tag all', t('tags', 'has', 'all')],
    ['seats 17', t('fields.seats', 'is', 17)], ['seats > 990', t('fields.seats', 'moreThan', 990)], ['seats > 500', t('fields.seats', 'moreThan', 500)],
    ['city contains', t('fields.city', 'contains', 'ty 49')], ['nobody', t('fields.city', 'is', 'nowhere')],
    ['created 30 d', t('createdAt', 'inLastDays', 30)], ['inbound 7 d', t('lastInboundAt', 'inLastDays', 7)], ['outbound 7 d', t('lastOutboundAt', 'inLastDays', 7)],
    ['not opted out', t('optedOut', 'is', false)],
    ['mixed', { all: [t('fields.plan', 'is', 'pro'), { any: [t('country', 'is', 'FR'), t('tags', 'has', 'rare')] }, { not: t('lastOutboundAt', 'inLastDays', 7) }] }],
  ];
  for (const [name, condition] of cases) {
    const ms: number[] = []; let last: any;
    for (let i = 0; i < 5; i++) { const s = performance.now(); last = await previewCondition(store, scope, condition, now); ms.push(Math.round(performance.now() - s)); }
    const audience = await createAudience(store, scope, { name, condition }, now);
    const values: unknown[] = []; const sql = await buildMembersSql(store.pool, scope, { audienceIds: [audience.id], now }, (v) => `$${values.push(v)}`);
    const s = performance.now(); const { rows } = await store.pool.query({ text: `SELECT count(*)::int n FROM (${sql}) m`, values });
    console.log(name.padEnd(16), 'preview ms', ms.join(' '), 'count', last.count, last.isEstimate ? 'estimate' : 'exact', 'examples', last.examples.length, '| exact', rows[0].n, Math.round(performance.now() - s), 'ms');
  }
}, 900_000);
