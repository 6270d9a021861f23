import { toSettingArguments } from '../world/set-up.mjs';

const CREDIT = '100000';

/**
 * Routes messages of the first server to the second server, whose simulator sends them.
 * @param {{first: import('./server.mjs').Server, second: import('./server.mjs').Server, preset: string, random: any}} pair
 * @returns {Promise<{account: string, apiKey: string, secondAccount: string}>} account and key of the first server, and account
 *   of the second
 */
export async function setUpPair({ first, second, preset, random }) {
  const firstAccount = await createAccount(first);
  const secondAccount = await createAccount(second);
  const response = await second.createClient(random).request('POST', '/v2/callback-secret', {
    headers: { authorization: `Bearer ${secondAccount.key}` },
    repeats: false,
  });
  if (response.status !== 200) throw new Error(`no callback secret was returned: ${JSON.stringify(response)}`);
  const { secret } = response.data.data;
  const settings = {
    twilio: {
      accountSid: secondAccount.accountSid,
      authToken: secret,
      apiKeySid: secondAccount.keySid,
      apiKeySecret: secondAccount.key,
    },
    heliograph: { apiKey: secondAccount.key, webhookSecret: secret },
  }[preset];
  const common = { preset, baseUrl: second.url, publicUrl: first.url, parallel: 64, timeoutMs: 10_000 };
  await first.command('carrier', 'add', 'second', '--type', 'http', ...toSettingArguments({ ...common, ...settings }));
  await first.command('route', 'add', 'second');
  // After a restart, the server uses the new route immediately instead of after some seconds.
  await first.restart();
  return { account: firstAccount.accountId, apiKey: firstAccount.key, secondAccount: secondAccount.accountId };
}

async function createAccount({ command }) {
  const { id: accountId } = await command('account', 'create', 'Pair');
  await command('account', 'credit', accountId, CREDIT);
  return { accountId, ...(await command('app', 'create', accountId, 'Pair')) };
}
