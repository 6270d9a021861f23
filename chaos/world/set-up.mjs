import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const CLI = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const run = promisify(execFile);
const CREDIT = '100000';

/**
 * Creates a function that runs the command `heliograph` on a store, and returns the parsed output of `--json`.
 * @returns {(...args: string[]) => Promise<any>}
 */
export function createCli({ storeUrl, folder }) {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: storeUrl, LOG_LEVEL: 'error' };
  return async (...args) => {
    const { stdout } = await run(process.execPath, [CLI, '--json', ...args], { env, cwd: folder });
    return JSON.parse(stdout);
  };
}

export function toSettingArguments(values) {
  return Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
}

export async function setUp({ storeUrl, smsc, meta, folder }) {
  const heliograph = createCli({ storeUrl, folder });
  const { id: account } = await heliograph('account', 'create', 'Chaos');
  await heliograph('account', 'credit', account, CREDIT);
  const { key: apiKey } = await heliograph('app', 'create', account, 'Chaos');
  const smppSettings = {
    host: '127.0.0.1',
    port: smsc.port,
    systemId: 'chaos',
    password: 'chaos',
    multipart: 'payload',
    responseTimeoutSeconds: 3,
    reconnectMaxSeconds: 2,
  };
  await heliograph('carrier', 'add', 'smsc', '--type', 'smpp', ...toSettingArguments(smppSettings));
  await heliograph('route', 'add', 'smsc');
  const cloudSettings = {
    accessToken: 'chaos',
    appSecret: meta.appSecret,
    verifyToken: 'chaos',
    businessAccountId: meta.businessAccountId,
    baseUrl: meta.baseUrl,
    ratePerSecond: 1_000,
    timeoutMs: 3_000,
  };
  await heliograph('carrier', 'add', 'meta', '--type', 'whatsapp-cloud', ...toSettingArguments(cloudSettings));
  const channel = await heliograph(
    ...['channel', 'create', '--account', account, '--name', 'Chaos', '--phone', meta.businessNumber],
    ...['--carrier', 'meta', '--default', ...toSettingArguments({ phoneNumberId: meta.phoneNumberId })],
  );
  const key = await heliograph('key', 'create', '--account', account, '--name', 'Chaos', '--channel', channel.id);
  const { signInUrl: link } = await heliograph('operator', 'create', 'chaos', '--role', 'viewer');
  return {
    account,
    apiKey,
    link,
    channelHeaders: { 'x-api-key': key.key, 'x-api-secret': key.secret, 'x-channel-id': channel.id },
  };
}
