import { newId } from '../../src/platform/ids.js';
import type { Deps } from '../../src/process/startup/deps.js';
import { readBalance, type TestAccount } from './accounts.js';
import { createTestChannel, type TestChannel, type TestChannelOptions } from './channels.js';
import type { TestApp } from './test-app.js';

export interface TestTemplate {
  name: string;
  language?: string;
  category?: 'UTILITY' | 'MARKETING' | 'AUTHENTICATION';
  status?: 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED' | 'DISABLED';
  components?: object[];
}

/** Adds a template, by default an approved UTILITY template without parameters, and returns its ID. */
export async function addTemplate(
  { deps }: { deps: Pick<Deps, 'prisma'> },
  { account, channelId }: Pick<TestChannel, 'account' | 'channelId'>,
  {
    name,
    language = 'en_US',
    category = 'UTILITY',
    status = 'APPROVED',
    components = [{ type: 'BODY', text: 'Hello' }],
  }: TestTemplate,
): Promise<string> {
  const id = newId();
  await deps.prisma.template.create({
    data: { id, accountId: account.id, channelId, name, language, category, status, components },
  });
  return id;
}

/** Adds the template `sign_in`, whose body and button contain a code. */
export function addCodeTemplate(
  heliograph: { deps: Pick<Deps, 'prisma'> },
  channel: Pick<TestChannel, 'account' | 'channelId'>,
) {
  return addTemplate(heliograph, channel, {
    name: 'sign_in',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', text: '*{{1}}* is your verification code.' },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  });
}

/** Creates a template for campaigns and automations, and returns its name. */
export async function createTemplate(
  deps: Pick<Deps, 'prisma'>,
  channel: TestChannel,
  {
    name = 'hello',
    body = 'Hello',
    status = 'APPROVED',
  }: { name?: string; body?: string; status?: 'APPROVED' | 'PAUSED' } = {},
): Promise<string> {
  const components = [{ type: 'BODY', text: body }];
  await addTemplate({ deps }, channel, { name, category: 'MARKETING', status, components });
  return name;
}

export async function createCampaignChannel(
  deps: Pick<Deps, 'prisma'>,
  options?: TestChannelOptions,
): Promise<TestChannel> {
  const channel = await createTestChannel(deps, undefined, options);
  await createTemplate(deps, channel);
  return channel;
}

let groupCount = 0;

/** Creates a group of contacts to whose numbers the simulator delivers. */
export async function createGroup(
  { pool }: Pick<Deps, 'pool'>,
  { account, channelId }: TestChannel,
  { size = 3, name = `Group ${newId()}` }: { size?: number; name?: string } = {},
): Promise<{ id: string; contactIds: string[] }> {
  const id = newId();
  const contactIds = Array.from({ length: size }, newId);
  await pool.query(
    'INSERT INTO contact_groups (id, account_id, channel_id, name, contact_count) VALUES ($1, $2, $3, $4, $5)',
    [id, account.id, channelId, name, size],
  );
  // The last three digits of a number count the groups, so that no two groups share a number.
  await pool.query(
    `INSERT INTO contacts (id, account_id, channel_id, phone)
     SELECT id, $2, $3, '4915' || (1000000 + no)::text || $4 FROM unnest($1::uuid[]) WITH ORDINALITY AS numbered(id, no)`,
    [contactIds, account.id, channelId, String(groupCount++).padStart(3, '0')],
  );
  await pool.query('INSERT INTO group_members (group_id, contact_id) SELECT $1, unnest($2::uuid[])', [id, contactIds]);
  return { id, contactIds };
}

/** Creates a channel with three templates: without parameters, with one, and with parameters in every part. */
export async function createChannelWithTemplates(
  heliograph: Pick<TestApp, 'deps'>,
  account?: TestAccount,
  options?: TestChannelOptions,
): Promise<TestChannel> {
  const channel = await createTestChannel(heliograph.deps, account, options);
  await addTemplate(heliograph, channel, { name: 'hello_world' });
  await addTemplate(heliograph, channel, {
    name: 'order_update',
    components: [{ type: 'BODY', text: 'Your order {{1}} is on its way.' }],
  });
  await addTemplate(heliograph, channel, {
    name: 'delivery',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'For {{customer}}' },
      { type: 'BODY', text: 'Parcel {{parcel}} arrives {{day}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }] },
    ],
  });
  return channel;
}

export async function readChannelState({ deps }: Pick<TestApp, 'deps'>, { channelId, account }: TestChannel) {
  const where = { channelId };
  return {
    messages: await deps.prisma.message.count({ where }),
    contacts: await deps.prisma.contact.count({ where }),
    conversations: await deps.prisma.conversation.count({ where }),
    balance: await readBalance(deps, account.id),
  };
}
