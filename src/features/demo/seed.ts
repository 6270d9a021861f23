import { createAccount, creditAccount } from '../../accounts/accounts.js';
import { createAppKey, createChannelKey } from '../../accounts/keys.js';
import { parseMoney } from '../../accounts/money.js';
import { createOperator } from '../../accounts/operators/operators.js';
import { buildSignInUrl, createLink } from '../../accounts/operators/sign-in/sign-in-links.js';
import type { Clock } from '../../platform/clock.js';
import type { Prisma, PrismaClient } from '../../platform/generated/prisma/client.js';
import { newId } from '../../platform/ids.js';
import { createChannel } from '../channels/channels.js';
import { seedCampaign } from './campaign.js';
import { seedContacts } from './contacts.js';
import { type DemoKeys, writeDemoFile } from './keys-file.js';
import { DEMO_TEMPLATES } from './templates.js';

/** Pays for a million SMS parts at the standard rate card's price of 0.01 USD. */
const DEMO_CREDIT = parseMoney('10000.00');
/** A number in the simulator's fictional range. */
const DEMO_NUMBER = '15005550100';
const DEMO_OPERATOR = 'admin';
/** The link stays valid for a week, for people who return some days after starting the server. */
const DEMO_LINK_HOURS = 7 * 24;

export interface SeedOptions {
  prisma: Pick<PrismaClient, '$transaction'>;
  clock: Clock;
  /** Folder of `demo.json`. */
  dataDir: string;
  /** See `toDemoBaseUrl`. */
  baseUrl: string;
  /** Base URL of the console, if it differs from `baseUrl`. */
  consoleUrl?: string;
  /** Shows the operator the keys once, as soon as they are valid. */
  announce(text: string): void;
}

/**
 * Writes `demo.json` before the commit, so that the keys are available as soon as the account exists. If the server
 * crashes before the commit, the next start replaces the keys in the file. Returns whether the account was created.
 */
export async function seedDemo({
  prisma,
  clock,
  dataDir,
  baseUrl,
  consoleUrl,
  announce,
}: SeedOptions): Promise<boolean> {
  const seedResult = await prisma.$transaction(
    async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('heliograph demo seed', 0))`;
      if ((await transaction.account.count()) > 0) return null;
      const keys = await seedAccount(transaction, clock.now(), baseUrl, consoleUrl);
      return { keys, path: await writeDemoFile(dataDir, keys) };
    },
    { maxWait: 30_000, timeout: 60_000 },
  );
  if (seedResult) announce(buildAnnouncement(seedResult.keys, seedResult.path));
  return seedResult !== null;
}

async function seedAccount(
  transaction: Prisma.TransactionClient,
  now: Date,
  baseUrl: string,
  consoleUrl = baseUrl,
): Promise<Required<DemoKeys>> {
  const { id: accountId } = await createAccount(transaction, { name: 'Demo' });
  await creditAccount(transaction, { accountId, amountMicros: DEMO_CREDIT, note: 'Demo credit' });
  const app = await createAppKey(transaction, { accountId, name: 'Demo app', scopes: ['rest'] });
  const channel = await createChannel(transaction, {
    accountId,
    kind: 'whatsapp',
    name: 'Demo channel',
    phoneNumber: DEMO_NUMBER,
    carrier: 'simulator',
    isDefault: true,
  });
  const channelKey = await createChannelKey(transaction, {
    accountId,
    name: 'Demo key',
    scopes: ['full'],
    channelIds: [channel.id],
  });
  await transaction.template.createMany({
    data: DEMO_TEMPLATES.map((template) => ({ id: newId(), accountId, channelId: channel.id, ...template })),
  });
  const scope = { accountId, channelId: channel.id };
  const [group] = await seedContacts(transaction, scope);
  if (group) await seedCampaign(transaction, scope, { phoneNumber: DEMO_NUMBER, group, completedAt: now });
  return {
    baseUrl,
    surfaceA: { apiKey: app.key },
    surfaceB: { apiKey: channelKey.key, apiSecret: channelKey.secret, channelId: channel.id },
    console: { signInUrl: buildSignInUrl(consoleUrl, await seedOperator(transaction, now)) },
  };
}

async function seedOperator(transaction: Prisma.TransactionClient, now: Date): Promise<string> {
  const existing = await transaction.operator.findUnique({ where: { name: DEMO_OPERATOR } });
  const grants = [{ role: 'owner' as const, accountId: null }];
  const { id: operatorId } = existing ?? (await createOperator(transaction, { name: DEMO_OPERATOR, grants }));
  const link = await createLink(transaction, { operatorId, at: now, hours: DEMO_LINK_HOURS });
  return link.token;
}

function buildAnnouncement({ surfaceA, surfaceB, console }: Required<DemoKeys>, path: string): string {
  return [
    '',
    'A demo account was created. Its keys are shown only once:',
    `  Surface A  Bearer key    ${surfaceA.apiKey}`,
    `  Surface B  X-API-Key     ${surfaceB.apiKey}`,
    `             X-API-Secret  ${surfaceB.apiSecret}`,
    `             X-Channel-Id  ${surfaceB.channelId}`,
    `They are also in ${path}`,
    // With PORT=0, the port is not known yet, and the link in the file is updated later.
    ...(new URL(console.signInUrl).port === '0'
      ? []
      : ['Open the console with this link, which works once:', `  ${console.signInUrl}`]),
    '',
  ].join('\n');
}
