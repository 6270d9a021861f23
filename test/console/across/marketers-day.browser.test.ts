import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { playInbound } from '../../support/channel-calls.js';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { waitFor } from '../../support/wait-for.js';
import { checkAccessible } from '../support/check-accessible.js';
import { describeConsole } from '../support/describe-console.js';
import { DESKTOP, PHONE } from '../support/views.js';

const ROWS = 10_000;
/** Every fourth row of the file. */
const PRO = ROWS / 4;
const STOPS = 5;

/** Numbers of the French range for fiction, 06 39 98 00 00 to 06 39 98 99 99. */
const toPhone = (index: number) => `+3363998${String(index).padStart(4, '0')}`;

const FILE = [
  'Phone,First name,Plan',
  ...Array.from({ length: ROWS }, (_, index) => `${toPhone(index)},Ada ${index},${index % 4 === 0 ? 'pro' : 'basic'}`),
].join('\n');

describeConsole("a marketer's day", (console) => {
  it.each([
    ['a desktop', DESKTOP],
    ['a phone', PHONE],
  ])('an operator imports contacts, tests two texts on an audience and checks the bill, on %s', async (_, size) => {
    const channel = await createTestChannel(console.api.deps, undefined, { kind: 'sms' });
    const base = `/console/a/${channel.account.id}`;
    const page = await console.open(`${base}/imports`);
    await page.setViewportSize(size);
    await importContacts(page);

    await page.goto(`${base}/audiences`);
    await createAudience(page);

    await page.goto(`${base}/opt-outs`);
    await turnRepliesOn(page);

    await page.goto(`${base}/campaigns/new?channel=${channel.channelId}`);
    await createCampaign(page);
    await sendTest(page);
    const { id } = await console.api.deps.prisma.campaign.findFirstOrThrow({
      where: { channelId: channel.channelId },
    });
    // The ledger entries of the campaign are those after the test.
    const spentBefore = await readSpentMicros(channel);
    await startNow(page);
    await finishTest(page, id);
    await expectTexts(channel, id);

    const spent = (await readSpentMicros(channel)) - spentBefore;
    const results = page.getByRole('region', { name: 'Results', exact: true });
    await results.getByText('$25.00', { exact: true }).first().waitFor();
    await checkAccessible(page, 'marketers-day-results');
    const href = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href');
    const csv = await (await page.request.get(`${console.url}${href}`)).text();
    expect(sumCosts(csv)).toEqual({ lines: PRO, micros: spent });

    await stopByKeyword(channel, id);
    await page.reload();
    await results.getByRole('button', { name: 'Show as table' }).click();
    await results.getByRole('row', { name: `Opted out (0.2%) ${STOPS}` }).waitFor();
  });

  async function importContacts(page: Page) {
    const buffer = Buffer.from(FILE);
    await page.locator('input[type=file]').setInputFiles({ name: 'customers.csv', mimeType: 'text/csv', buffer });
    // The field's frame covers its input, and passes clicks on.
    await page.getByRole('combobox', { name: 'Columns to import as new fields' }).click({ force: true });
    await page.getByRole('option', { name: 'Plan' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Tags for all contacts of the file' }).fill('Spring');
    await page.keyboard.press('Enter');
    await checkAccessible(page, 'marketers-day-import');
    await page.getByRole('button', { name: 'Import 10,000 contacts' }).click();
    await page.getByText('New: 10,000 · Updated: 0 · Unchanged: 0 · Refused: 0').waitFor();
  }

  async function createAudience(page: Page) {
    await page.getByRole('link', { name: 'Create audience' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Spring buyers');
    const conditions = page.getByRole('region', { name: 'Conditions' });
    await conditions.getByRole('group', { name: 'Condition 1' }).getByLabel('Value').fill('spring');
    await page.getByRole('option', { name: 'spring' }).click();
    await conditions.getByRole('button', { name: 'Add condition' }).click();
    const plan = conditions.getByRole('group', { name: 'Condition 2' });
    await plan.getByLabel('Field').selectOption('Plan');
    await plan.getByLabel('Value').fill('pro');
    await page.getByText('2,500 contacts').waitFor();
    await checkAccessible(page, 'marketers-day-audience');
    await page.getByRole('button', { name: 'Create audience' }).click();
    await page.getByRole('heading', { name: 'Spring buyers' }).waitFor();
  }

  async function turnRepliesOn(page: Page) {
    const replies = page.getByRole('region', { name: 'Replies' });
    await replies.getByRole('switch', { name: 'Reply to STOP, START and HELP' }).click();
    await replies.getByLabel('Help contact').fill('help@acme.example');
    await replies.getByRole('button', { name: 'Save' }).click();
    await replies.getByRole('row').getByText('Yes', { exact: true }).waitFor();
  }

  async function createCampaign(page: Page) {
    await page.getByLabel('Name').fill('Spring sale');
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('Hello {{contact.firstName|there}}, buy now');
    await page.getByRole('button', { name: 'Add a variant' }).click();
    await page
      .getByRole('textbox', { name: 'Text of variant B' })
      .fill('Dear {{contact.firstName|customer}}, our sale starts');
    await page.getByLabel('Test first, then send the winner to everyone else').check();
    await page.getByLabel('Recipients in the test, in percent').fill('20');
    await page.getByLabel('The winner has the most').selectOption('deliveries');
    await page.getByRole('combobox', { name: 'Audiences' }).click();
    await page.getByRole('option', { name: 'Spring buyers' }).click();
    await page.keyboard.press('Escape');
    await page.getByLabel('Starts at').fill(new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 16));
    await page.getByRole('button', { name: 'Estimate messages and cost' }).click();
    await page.getByText('2,500 messages for $25.00').waitFor();
    await checkAccessible(page, 'marketers-day-campaign');
    await page.getByRole('button', { name: 'Schedule campaign' }).click();
    await page.getByRole('heading', { name: 'Spring sale', level: 1 }).waitFor();
    await page.getByText('Dear {{contact.firstName|customer}}, our sale starts').waitFor();
    await checkAccessible(page, 'marketers-day-scheduled');
  }

  async function sendTest(page: Page) {
    await page.getByRole('button', { name: 'Send test' }).click();
    const dialog = page.getByRole('dialog', { name: 'Send a test' });
    await dialog.getByLabel('Your numbers').fill('+1 500 555 0111');
    await dialog.getByRole('combobox', { name: 'Values of contact' }).fill('33639980004');
    await page.getByRole('option', { name: /0004/ }).click();
    await dialog.getByRole('button', { name: 'Send test now' }).click();
    await page.getByText('The test was sent.').waitFor();
  }

  async function startNow(page: Page) {
    await page.getByRole('button', { name: 'Edit' }).click();
    const dialog = page.getByRole('dialog', { name: 'Edit campaign' });
    await dialog.getByLabel('Starts at').fill('');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
  }

  async function finishTest(page: Page, campaignId: string) {
    const byVariant = page.getByRole('region', { name: 'Results by variant' });
    await byVariant.getByText('The winner is chosen at').waitFor();
    await console.api.deps.prisma.campaign.update({ where: { id: campaignId }, data: { testEndsAt: new Date(0) } });
    await byVariant.getByText(/^(Several variants have|Variant [AB] has) the highest share of deliveries/).waitFor();
    await page.getByText('Messages created for 2,500 of 2,500 recipients.').waitFor();
    await page.getByText('Completed').first().waitFor();
  }

  /** Everyone got one message, with their own name. */
  async function expectTexts({ channelId }: TestChannel, campaignId: string) {
    const sent = await console.api.deps.prisma.message.findMany({ where: { channelId, campaignId } });
    expect(new Set(sent.map(({ recipient }) => recipient)).size).toBe(PRO);
    for (const { recipient, body, campaignVariant } of sent) {
      const name = `Ada ${Number(recipient.slice(-4))}`;
      expect(body).toBe(campaignVariant === 0 ? `Hello ${name}, buy now` : `Dear ${name}, our sale starts`);
    }
  }

  /** Each person writes STOP twice, and gets one reply. */
  async function stopByKeyword(channel: TestChannel, campaignId: string) {
    const phones = Array.from({ length: STOPS }, (_, index) => toPhone(index * 4).slice(1));
    for (const from of [...phones, ...phones])
      expect((await playInbound(console.api, channel, { from, text: 'STOP' })).statusCode).toBe(200);
    await waitFor('the replies', async () => (await countOthers(channel, campaignId, phones)).length === STOPS);
    expect((await countOthers(channel, campaignId, phones)).sort()).toEqual(phones);
  }

  /** Recipients of messages that do not belong to the campaign. */
  async function countOthers({ channelId }: TestChannel, campaignId: string, phones: string[]) {
    const others = await console.api.deps.prisma.message.findMany({
      where: { channelId, recipient: { in: phones }, OR: [{ campaignId: null }, { campaignId: { not: campaignId } }] },
    });
    return others.map(({ recipient }) => recipient);
  }

  async function readSpentMicros({ account }: TestChannel) {
    const { _sum } = await console.api.deps.prisma.ledgerEntry.aggregate({
      where: { accountId: account.id, kind: { in: ['charge', 'refund'] } },
      _sum: { amountMicros: true },
    });
    return -Number(_sum.amountMicros);
  }
});

function sumCosts(csv: string) {
  const [heading = '', ...lines] = csv.trimEnd().split('\r\n');
  const column = heading.split(',').indexOf('cost');
  const micros = lines.reduce((sum, line) => sum + Math.round(Number(line.split(',')[column]) * 1_000_000), 0);
  return { lines: lines.length, micros };
}
