// npm run bench:attack [-- --requests 100000 --members 5000]
//
// What an attacker with a stolen key can spend on an account that has a spending guard. Three accounts with rules of their own:
// one with limits, one that is watched, and one that is watched and has a day of ordinary traffic with a campaign. 64 connections
// attack the first two with sign-in codes to number ranges and texts to many countries, premium-rate numbers and satellites.
// Exits with 1 if an attacked account loses more than its guard allows, or if anything of the third account is held or refused.
import { createAccount, creditAccount } from '../dist/accounts/accounts.js';
import { createAppKey } from '../dist/accounts/keys.js';
import { parseGuard, setGuard } from '../dist/features/spending/guards.js';
import { openPrisma } from '../dist/platform/store/connections/pool.js';
import { makeCrowd } from './lib/load/crowd.mjs';
import { readOptions } from './lib/options.mjs';
import { verdict } from './lib/report.mjs';
import { withServer } from './lib/with-server.mjs';

const options = readOptions(
  import.meta.url,
  { requests: '100000', members: '5000' },
  { requests: '2000', members: '300' },
);
const requests = Number(options.requests);
const members = Number(options.members);
const CONNECTIONS = 64;
const PRICE = 10_000n;
/** The daily limit of the first account, in millionths of a dollar. */
const LIMIT = 5_000_000n;
/** Targets of the attack: calling codes and number blocks. */
const COUNTRIES = ['44', '33', '39', '34', '31'];
const BLOCKS = ['4479460', '3365678', '9936612'];
/** What the watched account may lose: 100 messages per country and hour, for at most two hours, and ten codes per block. */
const WATCHED = PRICE * BigInt((COUNTRIES.length + 1) * 100 * 2);

const guard = (more) => parseGuard({ allowed: [], refusesRisky: true, limits: [], watch: null, ...more });
const watch = { holdMinutes: 20, safe: [] };

async function fill(pool) {
  const prisma = openPrisma(pool);
  const make = async (name, rules) => {
    const { id } = await createAccount(prisma, { name });
    await creditAccount(prisma, { accountId: id, amountMicros: 100_000_000_000n });
    await setGuard(prisma, { accountId: id, keyId: null }, rules);
    const { key } = await createAppKey(prisma, { accountId: id, name, scopes: ['rest'] });
    return { id, headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` } };
  };
  const limit = { most: '5.00', measure: 'money', span: 'day', scope: 'total' };
  const accounts = {
    limited: await make('Limited', guard({ limits: [limit] })),
    watched: await make('Watched', guard({ watch })),
    ordinary: await make('Ordinary', guard({ watch, allowed: ['DE', 'AT'] })),
  };
  const { id: accountId } = accounts.ordinary;
  const { groupId, headers: ofChannel } = await makeCrowd(
    { pool, prisma },
    {
      ...{ accountId, name: 'Shop', phoneNumber: '4915112345678', members, firstNumber: 4915110000000 },
      ...{ language: 'de', text: 'Alles ist billiger.' },
    },
  );
  // A week of ordinary traffic: 60 messages an hour.
  await pool.query(
    `INSERT INTO hourly_counts (account_id, hour, channel_id, kind, carrier, calling_code, event, slot, messages, micros, milliseconds)
     SELECT $1, date_trunc('hour', now()) - no * interval '1 hour', '00000000-0000-0000-0000-000000000000', 'sms', 'simulator', '49',
            'accepted', 0, 60, 0, 0 FROM generate_series(1, 168) AS no`,
    [accountId],
  );
  await prisma.$disconnect();
  return { accounts, groupId, ofChannel };
}

const post = (url, headers, body) => fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });

/** Sends `count` requests over `connections` connections. @returns the number of responses by status */
async function fire(count, connections, send) {
  const statuses = {};
  let next = 0;
  const work = async () => {
    while (next < count) {
      const response = await send(next++);
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return statuses;
}

/** Every third request asks for a sign-in code; the others send a text. */
function attack(baseUrl, headers) {
  return (no) => {
    const tail = String(no % 10_000).padStart(4, '0');
    if (no % 3 === 0) {
      const to = `${BLOCKS[(no / 3) % BLOCKS.length]}${tail}`;
      return post(`${baseUrl}/v2/verifications`, headers, { to, from: 'Acme', app_name: 'Acme' });
    }
    const to =
      no % 31 === 1 ? `8816${tail}123` : `${COUNTRIES[no % COUNTRIES.length]}79${tail}${no % 997}`.padEnd(12, '5');
    return post(`${baseUrl}/v2/send`, headers, { to, from: 'Acme', channel: 'sms', message: 'Call us' });
  };
}

const setUp = {
  name: 'attack',
  prepare: fill,
  settings: { VERIFICATION_SECRET: 'a secret of the benchmark for sign-in codes' },
};
await withServer(setUp, async ({ baseUrl, pool, prepared: { accounts, groupId, ofChannel } }) => {
  const lost = async ({ id }) => {
    const { rows } = await pool.query('SELECT balance_micros FROM accounts WHERE id = $1', [id]);
    return 100_000_000_000n - BigInt(rows[0].balance_micros);
  };
  const money = (micros) => `${(Number(micros) / 1e6).toFixed(2)} USD`;
  console.log('| account | requests | answers | lost | at most |\n|---|---:|---|---:|---:|');
  for (const [name, most] of [
    ['limited', LIMIT],
    ['watched', WATCHED],
  ]) {
    const statuses = await fire(requests, CONNECTIONS, attack(baseUrl, accounts[name].headers));
    const sum = await lost(accounts[name]);
    console.log(`| ${name} | ${requests} | ${JSON.stringify(statuses)} | ${money(sum)} | ${money(most)} |`);
    verdict(sum > 0n && sum <= most, `the ${name} account lost ${money(sum)}, and at most ${money(most)}`);
  }

  const { ordinary } = accounts;
  const campaign = { name: 'Sale', templateName: 'promotion', language: 'de', groupId };
  const created = await (await post(`${baseUrl}/api/v1/campaigns`, ofChannel, campaign)).json();
  // The busiest hour of the day: twice the average, with codes to numbers in the whole country.
  const statuses = await fire(120, 4, (no) =>
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
  const { rows: held } = await pool.query('SELECT FROM spend_holds WHERE account_id = $1', [ordinary.id]);
  console.log(
    `| ordinary, with a campaign to ${members} | 120 | ${JSON.stringify(statuses)} | ${money(await lost(ordinary))} | – |`,
  );
  const isWhole = statuses[200] === 120 && row.status === 'completed' && row.message_count === members;
  verdict(
    isWhole && held.length === 0,
    `ordinary traffic was not held: ${JSON.stringify({ ...row, holds: held.length })}`,
  );
});
