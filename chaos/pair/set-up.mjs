import { toSettingArguments } from '../world/set-up.mjs';

const CREDIT = '100000';

/**
 * Routes the first server's messages to the second, which sends with its simulator.
 * @param {{first: import('./server.mjs').Server, second: import('./server.mjs').Server, preset: string, choices: any}} pair
 * @returns {Promise<{account: string, apiKey: string, there: string}>} the account of the first server, its key, and the account of the second
 */
export async function setUpPair({ first, second, preset, choices }) {
  const here = await makeAccount(first);
  const there = await makeAccount(second);
  const answer = await second.client(choices).ask('POST', '/v2/callback-secret', {
    headers: { authorization: `Bearer ${there.key}` },
    repeats: false,
  });
  if (answer.status !== 200) throw new Error(`no callback secret was had: ${JSON.stringify(answer)}`);
  const { secret } = answer.data.data;
  const settings = {
    twilio: {
      accountSid: there.accountSid,
      authToken: secret,
      apiKeySid: there.keySid,
      apiKeySecret: there.key,
    },
    heliograph: { apiKey: there.key, webhookSecret: secret },
  }[preset];
  const common = { preset, baseUrl: second.url, publicUrl: first.url, parallel: 64, timeoutMs: 10_000 };
  await first.command('carrier', 'add', 'second', '--type', 'http', ...toSettingArguments({ ...common, ...settings }));
  await first.command('route', 'add', 'second');
  // Otherwise the processes would reload their routes only after some seconds.
  await first.restart();
  return { account: here.accountId, apiKey: here.key, there: there.accountId };
}

async function makeAccount({ command }) {
  const { id: accountId } = await command('account', 'create', 'Pair');
  await command('account', 'credit', accountId, CREDIT);
  return { accountId, ...(await command('app', 'create', accountId, 'Pair')) };
}
