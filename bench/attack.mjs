// npm run bench:attack [-- --requests 100000 --members 5000]
//
// Measures how much an attacker with a stolen key can spend on an account that has a spending guard. Two accounts are attacked:
// one has a daily limit, and the other a guard that watches for unusual traffic. A third account, which is also watched, sends
// only ordinary traffic and a campaign. Over 64 connections, the attack sends sign-in codes to a few number ranges, and texts
// to several countries and to satellite phones. Exits with 1 if an attacked account loses more than its guard allows, or if
// ordinary traffic is held or refused.
import { createAccount, creditAccount } from '../dist/accounts/accounts.js';
import { createAppKey } from '../dist/accounts/keys.js';
import { parseGuard, setGuard } from '../dist/features/spending/guards.js';
import { openPrisma } from '../dist/platform/store/connections/pool.js';
import { createCampaignData } from './lib/load/crowd.mjs';
import { readOptions } from './lib/options.mjs';
import { checkPromise } from './lib/report.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { requests: '100000', members: '5000' },
  { requests: '2000', members: '300' },
);
const requests = Number(options.requests);
const members = Number(options.members);
const CONNECTIONS = 64;
const PRICE_MICROS = 10_000n;
/** Daily limit of one attacked account, in millionths of a US dollar. */
const LIMIT_MICROS = 5_000_000n;
const COUNTRIES = ['44', '33', '39', '34', '31'];
const BLOCKS = ['4479460', '3365678', '9936612'];
/** Maximum loss of the watched account: the price of 100 messages an hour to each of six destinations, for two hours. */
const WATCHED_MICROS = PRICE_MICROS * BigInt((COUNTRIES.length + 1) * 100 * 2);

const createGuard = (fields) => parseGuard({ allowed: [], refusesRisky: true, limits: [], watch: null, ...fields });
const watch = { holdMinutes: 20, safe: [] };

async function createAccounts(pool) {
  const prisma = openPrisma(pool);
  const create = async (name, rules) => {
    const { id } = await createAccount(prisma, { name });
    await creditAccount(prisma, { accountId: id, amountMicros: 100_000_000_000n });
    await setGuard(prisma, { accountId: id, keyId: null }, rules);
    const { key } = await createAppKey(prisma, { accountId: id, name, scopes: ['rest'] });
    return { id, headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` } };
  };
  const limit = { most: '5.00', measure: 'money', span: 'day', scope: 'total' };
  const accounts = {
    limited: await create('Limited', createGuard({ limits: [limit] })),
    watched: await create('Watched', createGuard({ watch })),
    ordinary: await create('Ordinary', createGuard({ watch, allowed: ['DE', 'AT'] })),
  };
  const { id: accountId } = accounts.ordinary;
  const { groupId, headers: channelHeaders } = await createCampaignData(
    { pool, prisma },
    {
      ...{ accountId, name: 'Shop', phoneNumber: '4915112345678', members, firstNumber: 4915110000000 },
      ...{ language: 'de', text: 'Alles ist billiger.' },
    },
  );
  // The account with ordinary traffic has already sent 60 messages an hour for a week.
  await pool.query(
    `INSERT INTO hourly_counts (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages, micros, milliseconds)
     SELECT $1, date_trunc('hour', now()) - no * interval '1 hour', '00000000-0000-0000-0000-000000000000', 'sms', 'simulator', '49',
            'accepted', 0, 60, 0, 0 FROM generate_series(1, 168) AS no`,
    [accountId],
  );
  await prisma.$disconnect();
  return { accounts, groupId, channelHeaders };
}

const post = (url, headers, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

async function sendConcurrently(count, connections, send) {
  const statuses = {};
  let next = 0;
  const sendRepeatedly = async () => {
    while (next < count) {
      const response = await send(next++);
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRepeatedly));
  return statuses;
}

/** Returns a function that sends a sign-in code with every third request, and a text message with all other requests. */
function createAttack(baseUrl, headers) {
  return (no) => {
    const lastDigits = String(no % 10_000).padStart(4, '0');
    if (no % 3 === 0) {
      const to = `${BLOCKS[(no / 3) % BLOCKS.length]}${lastDigits}`;
      return post(`${baseUrl}/v2/verifications`, headers, { to, from: 'Acme', app_name: 'Acme' });
    }
    const to =
      no % 31 === 1
        ? `8816${lastDigits}123`
        : `${COUNTRIES[no % COUNTRIES.length]}79${lastDigits}${no % 997}`.padEnd(12, '5');
    return post(`${baseUrl}/v2/send`, headers, { to, from: 'Acme', channel: 'sms', message: 'Call us' });
  };
}

const setUp = {
  name: 'attack',
  prepare: createAccounts,
  settings: { VERIFICATION_SECRET: 'a secret of the benchmark for sign-in codes' },
};
await withServer(setUp, async ({ baseUrl, pool, prepared: { accounts, groupId, channelHeaders } }) => {
  const readLoss = async ({ id }) => {
    const { rows } = await pool.query('SELECT balance_micros FROM accounts WHERE id = $1', [id]);
    return 100_000_000_000n - BigInt(rows[0].balance_micros);
  };
  const formatMoney = (micros) => `${(Number(micros) / 1e6).toFixed(2)} USD`;
  console.log('| account | requests | responses | lost | at most |\n|---|---:|---|---:|---:|');
  for (const [name, maxLoss] of [
    ['limited', LIMIT_MICROS],
    ['watched', WATCHED_MICROS],
  ]) {
    const statuses = await sendConcurrently(requests, CONNECTIONS, createAttack(baseUrl, accounts[name].headers));
    const loss = await readLoss(accounts[name]);
    console.log(
      `| ${name} | ${requests} | ${JSON.stringify(statuses)} | ${formatMoney(loss)} | ${formatMoney(maxLoss)} |`,
    );
    checkPromise(
      loss > 0n && loss <= maxLoss,
      `the ${name} account lost ${formatMoney(loss)} (at most ${formatMoney(maxLoss)})`,
    );
  }

  const { ordinary } = accounts;
  const campaign = { name: 'Sale', templateName: 'promotion', language: 'de', groupId };
  const created = await (await post(`${baseUrl}/api/v1/campaigns`, channelHeaders, campaign)).json();
  // In addition to the campaign, the account sends 120 messages, twice its hourly average, and every fourth of them is a
  // sign-in code.
  const statuses = await sendConcurrently(120, 4, (no) =>
    no % 4 === 0
      ? post(`${baseUrl}/v2/verifications`, ordinary.headers, {
          to: `49170${1_000_000 + no * 37_117}`,
          from: 'Shop',
          app_name: 'Shop',
        })
      : post(`${baseUrl}/v2/send`, ordinary.headers, {
          to: `49171${1_000_000 + no}`,
          from: 'Shop',
          channel: 'sms',
          message: 'On its way',
        }),
  );
  let row;
  do {
    await new Promise((resolve) => setTimeout(resolve, 100));
    ({
      rows: [row],
    } = await pool.query('SELECT status, message_count, refused_count FROM campaigns WHERE id = $1', [
      created.data.id,
    ]));
  } while (row.status === 'running' || row.status === 'scheduled');
  const { rows: holds } = await pool.query('SELECT FROM spend_holds WHERE account_id = $1', [ordinary.id]);
  console.log(
    `| ordinary, with a campaign to ${members} | 120 | ${JSON.stringify(statuses)} | ${formatMoney(await readLoss(ordinary))} | – |`,
  );
  const isComplete = statuses[200] === 120 && row.status === 'completed' && row.message_count === members;
  checkPromise(
    isComplete && holds.length === 0,
    `ordinary traffic was not held or refused: ${JSON.stringify({ ...row, holds: holds.length })}`,
  );
});
