import { pino } from 'pino';
import { expect, inject, it, onTestFinished } from 'vitest';
import {
  checkLocale,
  checkSession,
  checkTuning,
  evaluateLocale,
  evaluateSession,
  evaluateTuning,
} from '../../../src/cli/doctor/settings-check.js';
import { openPool } from '../../../src/platform/store/connections/pool.js';
import { SESSION_SETTINGS } from '../../../src/platform/store/connections/session-settings.js';
import { openTestStore } from '../../support/open-test-store.js';
import { asAdmin, databaseUrl } from '../../support/store/databases.js';

it('doctor finds no problems in our own connections, regardless of the database defaults', async () => {
  const store = await openTestStore();
  onTestFinished(() => store.close());
  const name = new URL(store.url).pathname.slice(1);
  await asAdmin(inject('services').postgresUrl, `ALTER DATABASE ${name} SET jit = on`);
  const pool = openPool({ url: store.url, size: 1, log: pino({ level: 'silent' }) });
  onTestFinished(() => pool.end());
  const findings = [
    ...(await checkSession(pool, { databaseUrl: store.url, databaseDirectUrl: undefined })),
    ...(await checkLocale(pool)),
    ...(await checkTuning(pool, { processes: 1, databasePoolSize: 15 })),
  ];
  expect(findings.map(({ check, severity }) => [check, severity])).toEqual([
    ['store.session', 'ok'],
    ['store.locale', 'ok'],
    ['store.tuning', 'ok'],
  ]);
  expect(findings[2]?.text).toMatch(/max_connections \d+, shared_buffers \w+, work_mem \w+, random_page_cost [\d.]+/);
});

it('doctor names the role settings to change when a pooler drops ours', async () => {
  const store = await openTestStore();
  onTestFinished(() => store.close());
  const name = new URL(store.url).pathname.slice(1);
  await asAdmin(inject('services').postgresUrl, `ALTER DATABASE ${name} SET jit = on`);
  // A pool that connects through a pooler sends no session parameters, so `jit` stays on.
  const [finding] = await checkSession(store.pool, { databaseUrl: store.url, databaseDirectUrl: store.url });
  expect(finding).toMatchObject({ check: 'store.session', severity: 'warning', text: 'Behind the pooler jit is on.' });
  expect(finding?.advice).toContain("ALTER ROLE CURRENT_USER SET jit = 'off'");
});

it('doctor reports a locale that supports only ASCII letters', async () => {
  const name = `ascii_${process.pid}`;
  const { postgresUrl } = inject('services');
  const locale = "ENCODING 'UTF8' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'";
  await asAdmin(postgresUrl, `CREATE DATABASE ${name} TEMPLATE template0 ${locale}`);
  onTestFinished(() => asAdmin(postgresUrl, `DROP DATABASE ${name}`));
  const pool = openPool({ url: databaseUrl(postgresUrl, name), size: 1, log: pino({ level: 'silent' }) });
  const findings = await checkLocale(pool);
  await pool.end();
  expect(findings).toMatchObject([{ check: 'store.locale', severity: 'warning' }]);
  expect(findings[0]?.text).toContain('LC_CTYPE C');
});

it('doctor reports unsuitable session settings, an outdated collation, and too few connections', () => {
  expect(evaluateSession({ ...SESSION_SETTINGS, DateStyle: 'ISO, DMY', statement_timeout: '1min' }).severity).toBe(
    'ok',
  );
  expect(evaluateSession({ ...SESSION_SETTINGS, DateStyle: 'SQL, DMY' }).text).toContain('DateStyle is SQL, DMY');
  expect(evaluateLocale({ ctype: 'de_DE.UTF-8', foldsLetters: true, outdated: '2.31' })).toMatchObject({
    severity: 'warning',
    advice: expect.stringContaining('REINDEX DATABASE'),
  });
  expect(evaluateTuning({ max_connections: '100' }, { limit: 97, wanted: 120 })).toMatchObject({
    severity: 'warning',
    text: expect.stringContaining('Heliograph may open 120 connections, but the limit is 97.'),
  });
});
