import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { operatorsCommand } from '../world/set-up.mjs';

/** The checker skips numbers with this prefix. */
export const OTHER_ACCOUNTS = '1416';
const HELD_MS = 8_000;
const BETWEEN_SENDS_MS = 20;
const SENDERS = 4;
/** Messages that their carrier rejects, so that their refunds wait for the locked row. */
const REFUSED = 30;
const SETTLED_MS = 60_000;

/** @type {import('../faults.mjs').Faults} */
export const accountFaults = {
  'account-locked': {
    what: 'store',
    worlds: ['plain', 'pgbouncer'],
    run: async ({ store, client, folder, findings }) => {
      const heliograph = operatorsCommand({ storeUrl: store.url, folder });
      const locked = await makeAccount(heliograph, 'Locked');
      const free = await makeAccount(heliograph, 'Free');
      let numbers = 0;
      const send = async ({ apiKey }, end) => {
        numbers += 1;
        const headers = { authorization: `Bearer ${apiKey}` };
        const body = {
          channel: 'sms',
          to: [`${OTHER_ACCOUNTS}${2_000_000 + numbers * 10 + end}`],
          from: 'Chaos',
          message: 'It is on its way.',
        };
        return (await client.ask('POST', '/v2/send', { headers, body, repeats: false })).status;
      };
      // Once these have been accepted, every process knows the new keys.
      await Promise.all(Array.from({ length: REFUSED }, () => send(locked, 9)));
      const holder = new pg.Client({ connectionString: store.url });
      holder.on('error', () => {});
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [locked.id]);
      const until = Date.now() + HELD_MS;
      const seen = { locked: [], free: [] };
      const keepSending = async (account, statuses) => {
        while (Date.now() < until) {
          statuses.push(await send(account, 1));
          await pause(BETWEEN_SENDS_MS);
        }
      };
      const sending = [
        keepSending(locked, seen.locked),
        ...Array.from({ length: SENDERS }, () => keepSending(free, seen.free)),
      ];
      await Promise.all(sending.slice(1));
      await holder.query('COMMIT');
      await holder.end();
      await sending[0];
      const refused = seen.free.filter((status) => status >= 500).length;
      const accepted = seen.free.filter((status) => status === 200).length;
      if (refused > 0 || accepted === 0) {
        findings.push(
          `isolation: while one account was locked, ${refused} sends of another were refused, ${accepted} accepted`,
        );
      }
      await expectSettled(store, locked, findings);
    },
  },
};

async function makeAccount(heliograph, name) {
  const { id } = await heliograph('account', 'create', name);
  await heliograph('account', 'credit', id, '1000');
  const { key: apiKey } = await heliograph('app', 'create', id, 'Chaos');
  return { id, apiKey };
}

/** Once the row is free, everything is refunded, and the ledger adds up. */
async function expectSettled(store, { id }, findings) {
  const until = Date.now() + SETTLED_MS;
  for (;;) {
    const [{ unfinished, difference }] = await store.ask(
      `SELECT (SELECT count(*)::int FROM messages
               WHERE account_id = $1 AND right(recipient, 1) = '9' AND NOT (status = 'failed' AND refunded)) AS unfinished,
              ((SELECT sum(amount_micros) FROM ledger_entries WHERE account_id = $1)
               - (SELECT balance_micros FROM accounts WHERE id = $1))::float8 AS difference`,
      [id],
    );
    if (difference !== 0) return findings.push(`isolation: the locked account's ledger is off by ${difference}`);
    if (unfinished === 0) return undefined;
    if (Date.now() > until)
      return findings.push(`isolation: ${unfinished} messages of the locked account are not refunded`);
    await pause(250);
  }
}
