import { expect, it, onTestFinished } from 'vitest';
import { addCarrier } from '../../src/carriers/setup/carriers.js';
import { newId } from '../../src/platform/ids.js';
import { VendorStub } from '../support/carriers/vendor/vendor-stub.js';
import { checkAccessible } from './support/check-accessible.js';
import { logCalls } from './support/demo-console.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';
import { takeShots } from './support/take-shots.js';

/** The console may read carrier secrets only from the environment variable `NOWHERE_SET`. */
const SETTINGS = { settings: { CARRIER_SECRETS_ENV: 'NOWHERE_SET', CARRIER_PRIVATE_HOSTS: '127.0.0.1' } };

describeConsole(
  'the pages of the installation',
  (console) => {
    it('an owner sets up an SMPP carrier, checks it and switches it off', async () => {
      const page = await console.open('/console/installation/carriers');
      await page.getByRole('region', { name: 'simulator' }).getByText('Up').waitFor();
      await page.getByRole('button', { name: 'Set up a carrier' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('smsc-1');
      await dialog.getByLabel('systemId').fill('lighthouse');
      await dialog.getByRole('textbox', { name: 'password' }).fill('env:NOWHERE_SET');
      expectProblems(page, /status of 400/);
      await dialog.getByRole('button', { name: 'Set up a carrier' }).click();
      await dialog.getByText('must be set').waitFor();
      await dialog.getByRole('textbox', { name: 'host', exact: true }).fill('localhost');
      await dialog.getByRole('textbox', { name: 'password' }).fill('env:DATABASE_URL');
      await dialog.getByRole('button', { name: 'Set up a carrier' }).click();
      await dialog.getByText('must be the secret itself', { exact: false }).waitFor();
      await dialog.getByRole('textbox', { name: 'password' }).fill('env:NOWHERE_SET');
      await dialog.getByRole('button', { name: 'Set up a carrier' }).click();
      await dialog.waitFor({ state: 'detached' });

      const carrier = page.getByRole('region', { name: 'smsc-1', exact: true });
      await carrier.getByRole('button', { name: 'Check' }).click();
      await dialog.getByText('the environment variable NOWHERE_SET, which is not set').waitFor();
      await takeShots(page, 'carrier-check');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      await carrier.getByRole('button', { name: 'Switch off' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Switch it off' }).click();
      await carrier.getByText('Switched off').waitFor();
      await carrier.getByRole('button', { name: 'Show settings' }).click();
      await carrier.getByText('env:NOWHERE_SET').waitFor();
    });

    it('an owner sets up a vendor’s HTTP API and sends a test message', async () => {
      const vendor = new VendorStub();
      onTestFinished(() => vendor.stop());
      await vendor.start();
      vendor.respond = () => ({ status: 202, body: '0: Accepted for delivery' });
      const page = await console.open('/console/installation/carriers');
      await page.getByRole('button', { name: 'Set up a carrier' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Type', { exact: true }).selectOption('http');
      await dialog.getByRole('combobox', { name: 'Vendor' }).selectOption('kannel');
      await dialog.getByText('with a sendsms-user', { exact: false }).waitFor();
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('kannel-1');
      await dialog.getByRole('textbox', { name: 'username' }).fill('lighthouse');
      await dialog.getByRole('textbox', { name: 'password' }).fill('the-kannel-password');
      await dialog.getByRole('textbox', { name: 'baseUrl' }).fill(vendor.url);
      await dialog.getByRole('button', { name: 'Set up a carrier' }).click();
      await dialog.waitFor({ state: 'detached' });

      const carrier = page.getByRole('region', { name: 'kannel-1', exact: true });
      await carrier.getByRole('button', { name: 'Try it' }).click();
      await dialog.getByRole('textbox', { name: 'From' }).fill('Heliograph');
      await dialog.getByRole('textbox', { name: 'To' }).fill('12');
      expectProblems(page, /status of 400/);
      await dialog.getByRole('button', { name: 'Send message' }).click();
      await dialog.getByText('digits with country code', { exact: false }).first().waitFor();
      await dialog.getByRole('textbox', { name: 'To' }).fill('+15005550010');
      await checkAccessible(page, 'carrier-try');
      await dialog.getByRole('button', { name: 'Send message' }).click();
      await dialog.getByText('The carrier accepted the message.', { exact: false }).waitFor();
      await dialog.getByText('0: Accepted for delivery').waitFor();
      expect(await dialog.innerText()).not.toContain('the-kannel-password');
      expect(vendor.lastRequest.query.get('to')).toBe('+15005550010');
      await takeShots(page, 'carrier-try');
      await checkAccessible(page, 'carrier-tried');
    });

    it('requests to an HTTP carrier and its responses are listed and can be filtered', async () => {
      const secrets = { accessToken: 'env:NOWHERE_SET', appSecret: 'env:NOWHERE_SET', verifyToken: 'env:NOWHERE_SET' };
      const { prisma } = console.api.deps;
      await addCarrier(prisma, { name: 'meta', type: 'whatsapp-cloud', settings: secrets, isActive: false });
      await logCalls(console.api.deps, newId());
      const settings = { url: 'http://127.0.0.1:9/', json: { to: '{to}' }, idPattern: '(?<=ID: )(\\d+)' };
      await prisma.carrier.create({ data: { id: newId(), name: 'old', type: 'http', isActive: false, settings } });
      const page = await console.open('/console/installation/carriers');
      await page
        .getByRole('region', { name: 'old', exact: true })
        .getByText('The setting idPattern is ignored')
        .waitFor();
      await page.getByRole('link', { name: 'Requests to meta' }).click();
      await page.getByRole('heading', { level: 1, name: 'Requests to meta' }).waitFor();
      await page.getByRole('cell', { name: 'TIMEOUT' }).waitFor();
      expect(await page.getByRole('row').count()).toBe(4);
      await takeShots(page, 'carrier-calls');
      await page.getByLabel('Outcome').selectOption('failed');
      await page.getByRole('cell', { name: '200' }).waitFor({ state: 'detached' });
      await page.getByRole('row').filter({ hasText: '400' }).getByRole('button').click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Pair rate limit hit', { exact: false }).waitFor();
      await checkAccessible(page, 'carrier-call');
    });

    it('unmatched reports can be replayed, one or all, and stay if they still do not match', async () => {
      const { prisma, pool } = console.api.deps;
      const page = await console.open('/console/installation/carriers/meta/reports');
      await page.getByRole('cell', { name: 'No channel has this number' }).waitFor();
      await checkAccessible(page, 'kept-reports');
      // A trigger postpones the replay by an hour, so that the test can check its progress.
      await pool.query(`CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN NEW.replay_at = now() + interval '1 hour'; RETURN NEW; END $$`);
      await pool.query(`CREATE TRIGGER wait BEFORE UPDATE ON kept_reports FOR EACH ROW
        WHEN (OLD.replay_at IS NULL) EXECUTE FUNCTION wait()`);
      const rows = page.getByRole('row');
      await rows.filter({ hasText: 'inbound:text' }).getByRole('button', { name: 'Replay' }).click();
      await page.getByText('Reports to replay: 1').waitFor();
      await rows.filter({ hasText: 'inbound:text' }).getByText('In progress').waitFor();
      expect(await page.getByText('In progress').count()).toBe(1);
      await page.getByRole('button', { name: 'Replay all' }).click();
      await rows.filter({ hasText: 'group_settings' }).getByText('In progress').waitFor();
      await checkAccessible(page, 'kept-reports-under-way');
      await page.getByRole('button', { name: 'Replay all' }).click();
      await page.getByText('There are no reports to replay.').waitFor();
      await pool.query('DROP FUNCTION wait CASCADE');
      await prisma.keptReport.deleteMany({ where: { kind: 'inbound:text' } });
      await pool.query("UPDATE kept_reports SET replay_at = now() - interval '1 second'");
      await rows.filter({ hasText: 'inbound:text' }).waitFor({ state: 'detached' });
      await rows.filter({ hasText: 'group_settings' }).getByRole('button', { name: 'Replay' }).waitFor();
    });

    it('an owner adds a route with the keyboard only, and removes it after a confirmation', async () => {
      const page = await console.open('/console/installation/routes');
      await page.getByText('All SMS are sent through simulator', { exact: false }).waitFor();
      await page.getByRole('button', { name: 'Add a route' }).focus();
      await page.keyboard.press('Enter');
      const dialog = page.getByRole('dialog');
      // The test waits for the focus, which a dialog takes shortly after it appears.
      await dialog.locator(':focus').waitFor();
      await dialog.getByRole('combobox', { name: 'Carriers' }).focus();
      await page.keyboard.type('simu');
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      await page.keyboard.type('+49');
      await page.keyboard.press('Enter');
      await page.getByRole('cell', { name: '+49' }).waitFor();
      await page.getByRole('button', { name: 'Remove' }).click();
      await page
        .getByRole('heading', { name: 'Remove the route for all accounts, numbers starting with +49, all senders?' })
        .waitFor();
      await page.getByRole('button', { name: 'Remove route' }).click();
      await page.getByText('No routes').waitFor();
    });

    it('an owner creates a rate card with a price, and an account that uses it with credit and a channel', async () => {
      const page = await console.open('/console/installation/rates');
      await page.getByRole('button', { name: 'New rate card' }).click();
      let dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('euro');
      await dialog.getByLabel('Currency').fill('eur');
      await dialog.getByLabel('Default price of an SMS part').fill('0.05');
      await dialog.getByLabel('Default price of a WhatsApp message').fill('0.04');
      await dialog.getByRole('button', { name: 'Create' }).click();
      const card = page.getByRole('region', { name: 'Rate card euro' });
      await card.getByRole('button', { name: 'Price for a country' }).first().click();
      await dialog.getByLabel('Country code').fill('49');
      await dialog.getByLabel('Price (EUR)').fill('0.075');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await card.getByText('€0.075').waitFor();

      await page.getByRole('link', { name: 'Accounts' }).click();
      await page.getByRole('cell', { name: 'Lighthouse' }).waitFor();
      await page.getByRole('button', { name: 'Create account' }).click();
      dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Harbour');
      await dialog.getByLabel('Rate card').selectOption('euro');
      const country = dialog.getByRole('combobox', { name: 'Country' });
      await expect.poll(() => country.inputValue()).toBe('United States');
      await checkAccessible(page, 'new-account');
      await country.fill('germ');
      await page.getByRole('option', { name: 'Germany' }).click();
      await dialog.getByRole('button', { name: 'Create account' }).click();
      await page.getByRole('region', { name: 'Harbour' }).getByText('€0.00').waitFor();
      await page.getByRole('region', { name: 'Spending guard' }).getByText('DE', { exact: true }).first().waitFor();

      const book = async (button: string, amount: string, note: string) => {
        await page.getByRole('button', { name: button }).click();
        await dialog.getByLabel('Amount').fill(amount);
        await dialog.getByLabel('Note').fill(note);
        await dialog.getByRole('button', { name: button }).click();
        await page.getByRole('cell', { name: note }).waitFor();
      };
      await book('Add credit', '12.34', 'Invoice 1');
      await page.getByRole('region', { name: 'Harbour' }).getByText('€12.34').waitFor();
      await book('Reverse credit', '2.34', 'Typed twice');
      await page.getByRole('region', { name: 'Harbour' }).getByText('€10.00').waitFor();

      await page.getByRole('button', { name: 'Cancel queued messages' }).click();
      await dialog.getByRole('button', { name: 'Cancel queued messages' }).click();
      await page.getByText('0 messages were canceled and refunded').waitFor();

      await page.getByRole('button', { name: 'Create channel' }).click();
      await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill('Pier');
      await dialog.getByLabel('Phone number').fill('15005550177');
      await dialog.getByRole('button', { name: 'Create channel' }).click();
      await page.getByRole('cell', { name: 'Pier', exact: true }).waitFor();

      await page.getByRole('button', { name: 'Delete: Pier' }).click();
      const confirm = dialog.getByRole('button', { name: 'Delete channel' });
      expect(await confirm.isDisabled()).toBe(true);
      await dialog.getByLabel('Type “+15005550177” to confirm').fill('+15005550177');
      await confirm.click();
      await page.getByText('No channels yet').waitFor();
    });

    it('the country of a new account must be chosen if the browser’s language has no region', async () => {
      const page = await console.open('/console/installation/carriers');
      await page.addInitScript("Object.defineProperty(navigator, 'languages', { get: () => ['de', 'en-US'] })");
      await page.goto('/console/installation/accounts');
      await page.getByRole('button', { name: 'Create account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Name').fill('Anywhere');
      await dialog.getByRole('button', { name: 'Create account' }).click();
      await dialog.getByText('Choose a country or “Any country”.').waitFor();
      await checkAccessible(page, 'new-account-without-country');
      const country = dialog.getByRole('combobox', { name: 'Country' });
      await country.click();
      await page.getByRole('option', { name: 'Afghanistan' }).waitFor();
      await takeShots(page, 'new-account-countries');
      await page.getByRole('option', { name: 'Any country' }).click();
      await dialog.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('No guard is set', { exact: false }).waitFor();
    });

    it('a viewer of the installation sees settings and carriers without buttons to change them', async () => {
      const page = await console.open('settings', { role: 'viewer', scope: 'installation' });
      await page.getByRole('region', { name: 'Lighthouse' }).waitFor();
      for (const name of [
        'Add credit',
        'Reverse credit',
        'Cancel queued messages',
        'Switch off',
        'Save',
        'Create channel',
        'Delete',
      ]) {
        expect(await page.getByRole('button', { name }).count(), name).toBe(0);
      }
      await page.goto('/console/installation/carriers');
      await page.getByRole('region', { name: 'simulator' }).waitFor();
      expect(await page.getByRole('button', { name: 'Set up a carrier' }).count()).toBe(0);
    });
  },
  SETTINGS,
);
