import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../support/channels.js';
import { checkAccessible } from './support/check-accessible.js';
import { describeConsole } from './support/describe-console.js';
import { expectProblems } from './support/page-problems.js';

/** A spreadsheet's CSV file with its own column names, semicolons, an empty line and a line break in a cell. */
const FILE = [
  'Mobile;Full name;E-mail;Note',
  '+1 500 555 0101;Ada Lovelace;ada@example.com;"two',
  'lines"',
  '',
  '15005550102;Grace Hopper;;',
  '12;Nobody;;',
  '15005550102;Grace again;;',
].join('\n');

describeConsole('contacts, groups, imports and opt-outs', (console) => {
  let channel: TestChannel;
  beforeAll(async () => {
    channel = await createTestChannel(console.api.deps, console.account);
  });
  const getMain = (page: Page) => page.getByRole('main');

  it('a file of contacts is imported into a group, and its refused rows can be downloaded', async () => {
    const groups = await console.open('groups');
    await groups.getByRole('button', { name: 'Create group' }).click();
    const form = groups.getByRole('dialog');
    await form.getByLabel('Name').fill('Customers');
    await form.getByRole('button', { name: 'Create group' }).click();
    await groups.getByRole('link', { name: 'Customers' }).waitFor();

    const page = await console.open('imports');
    const buffer = Buffer.from(FILE);
    await page.locator('input[type=file]').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('region', { name: 'Preview' }).getByText('Grace Hopper').waitFor();
    expect(await page.getByRole('combobox', { name: 'Phone number' }).inputValue()).toBe('Mobile');
    expect(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled()).toBe(true);
    await checkAccessible(page, 'import-country');
    await page.getByRole('combobox', { name: 'Country of numbers without +' }).fill('United St');
    await page.getByRole('option', { name: 'United States (+1)' }).click();
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('row', { name: '15005550102 +15005550102 United States Grace Hopper' }).waitFor();
    await preview.getByText('Refused: is too short for United States (+1)').waitFor();
    await page.getByText('1 row is invalid').waitFor();
    await page.getByRole('combobox', { name: 'Add all to a group' }).click();
    await page.getByRole('option', { name: 'Customers' }).click();
    await checkAccessible(page, 'import-columns');
    await page.getByRole('button', { name: 'Import 3 contacts' }).click();
    await page.getByText('New: 2 · Updated: 0 · Unchanged: 0 · Refused: 2').waitFor();
    await getMain(page).getByRole('table').getByText('Completed').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Refused rows' }).first().click(),
    ]);
    const lines = (await text(await download.createReadStream())).split('\r\n');
    expect(lines.map((line) => line.split(';')[0])).toEqual(['row', '5', '6', '']);

    await groups.goto(`${console.url}/console/a/${console.account.id}/groups`);
    await groups.getByRole('row', { name: /Customers.*2/ }).waitFor();
    await groups.getByRole('link', { name: 'Customers' }).click();
    await groups.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await groups.getByRole('link', { name: 'Grace Hopper' }).waitFor();
  });

  it('the import detects encoding and delimiter of an Excel file, and rejects an empty file', async () => {
    const page = await console.open('imports');
    const choose = (name: string, buffer: Buffer) =>
      page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer });
    await choose('nothing.csv', Buffer.alloc(0));
    await page.getByText('The file is empty.').waitFor();
    await choose('excel.csv', Buffer.from('sep=;\r\nTelefon;Name\r\n+4915112345678;Jürgen Müller\r\n', 'latin1'));
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('row', { name: '+4915112345678 +4915112345678 Germany Jürgen Müller' }).waitFor();
    const encoding = page.getByRole('combobox', { name: 'Encoding' });
    expect(await encoding.inputValue()).toBe('Windows-1252 (Western Europe)');
    expect(await page.getByRole('combobox', { name: 'Delimiter' }).inputValue()).toBe('Semicolon');
    await encoding.click();
    await page.getByRole('option', { name: 'Mac OS Roman' }).click();
    await preview.getByText('J¸rgen M¸ller').waitFor();
    expect(await page.getByRole('combobox', { name: 'Country of numbers without +' }).count()).toBe(0);
  });

  it('refused rows are downloaded with all columns and can be fixed and imported again', async () => {
    const page = await console.open('imports');
    const importFile = async (buffer: Buffer, result: string) => {
      await page.locator('input[type=file]').setInputFiles({ name: 'six.csv', mimeType: 'text/csv', buffer });
      await page.getByRole('button', { name: /^Import( \d+ contact)?/ }).click();
      await page.getByText(result).waitFor();
    };
    const csvText =
      'Nr;Telefon;Name;E-Mail;Straße;Notiz\r\n1;+4915112345679;Jörg;;Weg 1;\r\n2;+49151;Jürgen;;Grüner Weg 2;"a;b"\r\n';
    await importFile(Buffer.from(csvText, 'latin1'), 'New: 1 · Updated: 0 · Unchanged: 0 · Refused: 1');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Refused rows' }).first().click(),
    ]);
    const file = await text(await download.createReadStream());
    expect(file).toMatch(
      /^\uFEFF?row;reason;Nr;Telefon;Name;E-Mail;Straße;Notiz\r\n3;[^;]+;2;\+49151;Jürgen;;Grüner Weg 2;"a;b"\r\n$/,
    );
    await page.getByRole('button', { name: 'Import another file' }).click();
    await importFile(
      Buffer.from(file.replace(';+49151;', ';+4915112345670;')),
      'New: 1 · Updated: 0 · Unchanged: 0 · Refused: 0',
    );
  });

  it('contacts with a user ID instead of a number can be added and imported', async () => {
    const page = await console.open('contacts');
    await page.getByRole('button', { name: 'Add contact' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByLabel('WhatsApp user ID').fill('ada');
    await form.getByLabel('Name', { exact: true }).fill('Ada without a number');
    expectProblems(page, /status of 400/);
    await form.getByRole('button', { name: 'Add contact' }).click();
    await form.getByText(/must be a WhatsApp user ID/).waitFor();
    await checkAccessible(page, 'contact-form');
    await form.getByLabel('WhatsApp user ID').fill('US.13491208655302741918');
    await form.getByRole('button', { name: 'Add contact' }).click();
    await getMain(page)
      .getByRole('row', { name: /Ada without a number.*US\.13491208655302741918/ })
      .waitFor();

    const imports = await console.open('imports');
    const file = 'userId,Mobile,Name\nUS.2,,Bob\nUS.3,+15005550143,Cy\nbob,,Nobody\n,,Nobody either\n';
    const buffer = Buffer.from(file);
    await imports.locator('input[type=file]').setInputFiles({ name: 'ids.csv', mimeType: 'text/csv', buffer });
    const preview = imports.getByRole('region', { name: 'Preview' });
    await preview.getByRole('row', { name: '– No number US.2 Bob' }).waitFor();
    await preview.getByText(/Refused: must be a WhatsApp user ID/).waitFor();
    await imports.getByText('2 rows are invalid').waitFor();
    await checkAccessible(imports, 'import-user-ids');
    await imports.getByRole('button', { name: 'Import 2 contacts' }).click();
    await imports.getByText('New: 2 · Updated: 0 · Unchanged: 0 · Refused: 2').waitFor();
  });

  it('a field is defined, and the fields and tags of contacts are edited, filtered and imported', async () => {
    const settings = await console.open('settings');
    const section = settings.getByRole('region', { name: 'Contact fields' });
    await section.getByRole('button', { name: 'Add field' }).click();
    const form = settings.getByRole('dialog');
    await form.getByLabel('Label').fill('Customer plan');
    await form.getByLabel('Type').selectOption('Choice');
    await form.getByRole('combobox', { name: 'Choices' }).fill('basic');
    await settings.keyboard.press('Enter');
    await form.getByRole('combobox', { name: 'Choices' }).fill('pro');
    await settings.keyboard.press('Enter');
    await checkAccessible(settings, 'contact-field-form');
    await form.getByRole('button', { name: 'Add field' }).click();
    await section.getByText('{{contact.fields.customer_plan}}').waitFor();

    const { headers } = channel;
    for (const [phone, name] of [
      ['15005550151', 'Annie Easley'],
      ['15005550152', 'Melba Mouton'],
    ] as const) {
      await console.api.app.inject({ method: 'POST', url: '/api/v1/contacts', headers, payload: { phone, name } });
    }
    const page = await console.open('contacts');
    await page.getByRole('link', { name: 'Annie Easley' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Customer plan').selectOption('pro');
    await drawer.getByRole('combobox', { name: 'Tags' }).fill('VIP');
    await page.keyboard.press('Enter');
    await checkAccessible(page, 'contact-with-fields');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Contact saved').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('combobox', { name: 'Tag', exact: true }).click();
    await page.getByRole('option', { name: 'vip' }).click();
    await page.getByRole('link', { name: 'Melba Mouton' }).waitFor({ state: 'detached' });

    await page.getByRole('combobox', { name: 'Filter by field' }).click();
    await page.getByRole('option', { name: 'Customer plan' }).click();
    await page.getByRole('combobox', { name: 'Customer plan' }).click();
    await page.getByRole('option', { name: 'basic' }).click();
    await page.getByText('No matching contacts').waitFor();
    await page.getByRole('combobox', { name: 'Customer plan' }).click();
    await page.getByRole('option', { name: 'pro' }).click();
    await checkAccessible(page, 'contact-filters');
    await page.getByLabel('Select Annie Easley').check();
    await page.getByRole('button', { name: 'Tags', exact: true }).click();
    await drawer.getByRole('combobox', { name: 'Tags to add' }).fill('Spring');
    await page.keyboard.press('Enter');
    await checkAccessible(page, 'contact-tags');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await getMain(page)
      .getByRole('row', { name: /Annie Easley.*spring, vip/ })
      .waitFor();

    const imports = await console.open('imports');
    const buffer = Buffer.from('Phone,Name,fields.customer_plan,Town\n+15005550153,Christine Darden,basic,Monroe\n');
    await imports.locator('input[type=file]').setInputFiles({ name: 'plan.csv', mimeType: 'text/csv', buffer });
    // The field's frame covers its input, and passes clicks on.
    await imports.getByRole('combobox', { name: 'Columns to import as new fields' }).click({ force: true });
    await imports.getByRole('option', { name: 'Town' }).click();
    await imports.keyboard.press('Escape');
    await imports.getByRole('combobox', { name: 'Tags for all contacts of the file' }).fill('Imported');
    await imports.keyboard.press('Enter');
    await checkAccessible(imports, 'import-fields');
    await imports.getByRole('button', { name: 'Import 1 contact' }).click();
    await imports.getByText('New: 1 · Updated: 0 · Unchanged: 0 · Refused: 0').waitFor();
    const { body } = await console.api.app.inject({ url: '/api/v1/contacts?tags=imported', headers });
    expect(JSON.parse(body).data.contacts).toMatchObject([
      { name: 'Christine Darden', fields: { customer_plan: 'basic', town: 'Monroe' } },
    ]);
  });

  it('an operator searches for a contact, opts it out, and deletes several contacts', async () => {
    const { api } = console;
    const url = (path: string) => `/api/v1/contacts${path}`;
    const { headers } = channel;
    for (const [phone, name] of [
      ['15005550131', 'Katherine Johnson'],
      ['15005550132', 'Mary Jackson'],
      ['15005550133', ''],
    ] as const) {
      await api.app.inject({ method: 'POST', url: url(''), headers, payload: { phone, name } });
    }
    const page = await console.open('contacts');
    await page.getByRole('link', { name: 'Mary Jackson' }).waitFor();
    await page.getByRole('searchbox').fill('+1 500 555 0131');
    await page.getByRole('link', { name: 'Mary Jackson' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Katherine Johnson' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByLabel('Email address').fill('katherine@example.com');
    await drawer.getByRole('switch').check();
    await checkAccessible(page);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Contact saved').waitFor();
    await page.keyboard.press('Escape');
    await getMain(page)
      .getByRole('row', { name: /Katherine.*katherine@example.com.*Opted out/ })
      .waitFor();

    await page.getByRole('searchbox').fill('');
    await page.getByLabel('Select Mary Jackson').check();
    await page.getByLabel('Select +15005550133').check();
    await page.getByText('2 selected').waitFor();
    await checkAccessible(page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('heading', { name: 'Delete 2 contacts?' }).waitFor();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByRole('link', { name: 'Mary Jackson' }).waitFor({ state: 'detached' });

    await page.getByLabel('Select Katherine Johnson').check();
    await page.getByText('1 selected').waitFor();
    await page.getByRole('link', { name: 'Katherine Johnson' }).click();
    await drawer.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete permanently' }).click();
    await page.getByRole('link', { name: 'Katherine Johnson' }).waitFor({ state: 'detached' });
    await page.getByText('1 selected').waitFor({ state: 'detached' });
  });

  it('editing a contact keeps a concurrent opt-out and shows concurrent changes', async () => {
    const { prisma } = console.api.deps;
    const { headers } = channel;
    const url = '/api/v1/contacts';
    const payload = { phone: '15005550141', name: 'Dorothy' };
    const creation = await console.api.app.inject({ method: 'POST', url, headers, payload });
    const { id } = creation.json().data;
    const change = (payload: object) =>
      console.api.app.inject({ method: 'PUT', url: `${url}/${id}`, headers, payload });
    const page = await console.open(`contacts?contact=${id}`);
    const drawer = page.getByRole('dialog');
    const name = drawer.getByLabel('Name', { exact: true });
    await name.fill('Dorothy Vaughan');
    expect((await change({ email: 'dorothy@example.com', optedOut: true })).statusCode).toBe(200);
    await expect.poll(() => drawer.getByRole('switch').isChecked()).toBe(true);
    expect(await drawer.getByLabel('Email address').inputValue()).toBe('dorothy@example.com');
    expect(await name.inputValue()).toBe('Dorothy Vaughan');
    const [sent] = await Promise.all([
      page.waitForRequest((request) => request.method() === 'PUT'),
      drawer.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(sent.postDataJSON()).toEqual({ name: 'Dorothy Vaughan' });
    await page.getByText('Contact saved').waitFor();
    expect(await drawer.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect(await prisma.contact.findUniqueOrThrow({ where: { id } })).toMatchObject({
      name: 'Dorothy Vaughan',
      email: 'dorothy@example.com',
    });
    expect(
      await prisma.optOut.count({ where: { sender: channel.channelId, phone: '15005550141', isActive: true } }),
    ).toBe(1);
  });

  it('an operator adds and lifts an opt-out, and adds an opt-out word', async () => {
    const page = await console.open('opt-outs');
    const add = page.getByRole('button', { name: 'Add opt-out' }).first();
    await add.click();
    const form = page.getByRole('dialog');
    // The dialog ignores keys until it has the focus.
    await form.locator(':focus').waitFor();
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await add.and(page.locator(':focus')).waitFor();
    await add.click();
    expectProblems(page, /status of 400/);
    await form.getByLabel('Phone number').fill('1234567890123456');
    await form.getByRole('button', { name: 'Add opt-out' }).click();
    await form.getByText(/^This must be a .*\.$/).waitFor();
    await form.getByLabel('Phone number').fill('+1 500 555 0141');
    await form.getByRole('button', { name: 'Add opt-out' }).click();
    const row = page.getByRole('row', { name: /\+15005550141/ });
    await row.getByText('Entered manually').waitFor();
    await page.getByRole('textbox', { name: 'Word' }).fill('Basta!');
    await page.getByRole('button', { name: 'Add word' }).click();
    await page.getByRole('row', { name: /basta.*Stops messages/ }).waitFor();
    await row.getByRole('button', { name: 'Lift' }).click();
    await page.getByRole('button', { name: 'Lift opt-out' }).click();
    await row.waitFor({ state: 'detached' });
  });

  it('a viewer can export contacts but not change them', async () => {
    const page = await console.open('contacts', { role: 'viewer', scope: 'account' });
    await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor();
    await page.getByRole('link', { name: 'Export as CSV' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Add contact' }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Import', exact: true }).count()).toBe(0);
  });

  it('all results of a search are added to a group, and a contact links to its messages', async () => {
    const { prisma } = console.api.deps;
    const { channelId } = channel;
    const people = Array.from({ length: 60 }, (_, index) => ({
      phone: `150055502${String(index).padStart(2, '0')}`,
      name: `Harbour ${index}`,
    }));
    for (const payload of people) {
      await console.api.app.inject({ method: 'POST', url: '/api/v1/contacts', headers: channel.headers, payload });
    }
    const group = await prisma.contactGroup.findFirstOrThrow({ where: { channelId, name: 'Customers' } });
    const page = await console.open('contacts');
    await page.getByRole('searchbox').fill('harbour');
    await page.waitForURL(/search=harbour/);
    await page.getByText('60 in total').waitFor();
    await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
    await page.getByText('50 selected').waitFor();
    await page.getByRole('button', { name: 'Select all 60 found' }).click();
    await page.getByText('All 60 found contacts are selected').waitFor();
    await checkAccessible(page, 'contacts-found');
    expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Add to group' }).click();
    await page.getByRole('menuitem', { name: 'Customers' }).click();
    await page.getByText('60 added to “Customers”').waitFor();
    expect(await prisma.groupMember.count({ where: { groupId: group.id } })).toBe(group.contactCount + 60);

    await page.getByRole('link', { name: 'Harbour 59' }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Send a template' }).waitFor();
    await drawer.getByRole('link', { name: 'All messages to this number' }).click();
    await page.waitForURL(/messages\?find=%2B15005550259/);
  });
});
