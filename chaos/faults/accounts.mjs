import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createCli } from '../world/set-up.mjs';

/** The checker skips recipients with this prefix, because they belong to other accounts. */
export const OTHER_ACCOUNTS = '1416';
const LOCKED_MS = 8_000;
const BETWEEN_SENDS_MS = 20;
const SENDERS = 4;
/** Number of messages that the carrier rejects, so that their refunds wait for the account's locked row. */
const REJECTED = 30;
const REFUND_TIMEOUT_MS = 60_000;

/** @type {import('../faults.mjs').Faults} */
export const accountFaults = {
  'account-locked': {
    part: 'store',
    worlds: ['plain', 'pgbouncer'],
    run: async ({ store, client, folder, findings }) => {
      const heliograph = createCli({ storeUrl: store.url, folder });
      const locked = await createAccount(heliograph, 'Locked');
      const free = await createAccount(heliograph, 'Free');
      let numbers = 0;
      const send = async ({ apiKey }, lastDigit) => {
        numbers += 1;
        const headers = { authorization: `Bearer ${apiKey}` };
        const body = {
          channel: 'sms',
          to: [`${OTHER_ACCOUNTS}${2_000_000 + numbers * 10 + lastDigit}`],
          from: 'Chaos',
          message: 'It is on its way.',
        };
        return (await client.request('POST', '/v2/send', { headers, body, repeats: false })).status;
      };
      // After these sends, every process knows the new API keys.
      await Promise.all(Array.from({ length: REJECTED }, () => send(locked, 9)));
      const holder = new pg.Client({ connectionString: store.url });
      holder.on('error', () => {});
      await holder.connect();
      await holder.query('BEGIN');
      await holder.query('SELECT FROM accounts WHERE id = $1 FOR NO KEY UPDATE', [locked.id]);
      const until = Date.now() + LOCKED_MS;
      const statuses = { locked: [], free: [] };
      const keepSending = async (account, results) => {
        while (Date.now() < until) {
          results.push(await send(account, 1));
          await pause(BETWEEN_SENDS_MS);
        }
      };
      const sending = [
        keepSending(locked, statuses.locked),
        ...Array.from({ length: SENDERS }, () => keepSending(free, statuses.free)),
      ];
      await Promise.all(sending.slice(1));
      await holder.query('COMMIT');
      await holder.end();
      await sending[0];
      const failed = statuses.free.filter((status) => status >= 500).length;
      const accepted = statuses.free.filter((status) => status === 200).length;
      if (failed > 0 || accepted === 0) {
        findings.push(
          `isolation: while one account was locked, ${failed} sends of another failed and ${accepted} were accepted`,
        );
      }
      await checkRefunds(store, locked, findings);
    },
  },
};

async function createAccount(heliograph, name) {
  const { id } = await heliograph('account', 'create', name);
  await heliograph('account', 'credit', id, '1000');
  const { key: apiKey } = await heliograph('app', 'create', id, 'Chaos');
  return { id, apiKey };
}

/** Checks that all rejected messages are refunded after the row is unlocked, and that the balance matches the ledger. */
async function checkRefunds(store, { id }, findings) {
  const until = Date.now() + REFUND_TIMEOUT_MS;
  for (;;) {
    const [{ unfinished, difference }] = await store.query(
      `SELECT (SELECT count(*)::int FROM messages
               WHERE account_id = $1 AND right(recipient, 1) = '9' AND NOT (status = 'failed' AND refunded)) AS unfinished,
              ((SELECT sum(amount_micros) FROM ledger_entries WHERE account_id = $1)
               - (SELECT balance_micros FROM accounts WHERE id = $1))::float8 AS difference`,
      [id],
    );
    if (difference !== 0)
      return findings.push(`isolation: the locked account's balance and ledger differ by ${difference}`);
    if (unfinished === 0) return undefined;
    if (Date.now() > until)
      return findings.push(`isolation: ${unfinished} messages of the locked account are not refunded`);
    await pause(250);
  }
}
