import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { createTestOperator, type TestOperator } from '../../support/operators.js';
import { sharedApp } from '../../support/suite.js';

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  'x-written-phone'?: boolean;
}

interface Operation {
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

const PHONES = /^(?:phone|phoneNumber|phone_number|to|from|number|recipient|msisdn|tel|mobile)$/i;

/** Fields with such names that contain something else, or follow their own rules. */
const OTHERS = [
  // For Meta, whose rules for templates accept the same forms.
  'POST /admin/v1/accounts/{accountId}/channels/{channelId}/templates components.buttons.phone_number',
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/templates/{templateId} components.buttons.phone_number',
  'POST /admin/v1/accounts/{accountId}/channels/{channelId}/templates components.cards.components.buttons.phone_number',
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/templates/{templateId} components.cards.components.buttons.phone_number',
  // A sender ID, possibly of letters.
  'POST /admin/v1/carriers/{name}/try from',
  // Where a sign-in returns to.
  'POST /admin/v1/session/oidc to',
  // Searches may contain a star for the rest of a number.
  'GET /admin/v1/accounts/{accountId}/messages to',
  'GET /admin/v1/accounts/{accountId}/inbound from',
  'GET /admin/v1/accounts/{accountId}/inbound to',
  // Cells of a file are refused individually, and read for the chosen country.
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/imports/{id}/slices/{position} rows.phone',
];
/** Endpoints whose `from` and `to` are times. */
const TIMES = ['overview', 'audit'];

const heliograph = sharedApp({ role: 'api' });
let found: { place: string; isWritten: boolean }[];
let channel: TestChannel;
let operator: TestOperator;

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  found = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        fieldsOf(operation).map(({ name, isWritten }) => ({
          place: `${method.toUpperCase()} ${path} ${name}`,
          isWritten,
        })),
      ),
    );
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph, { role: 'owner', accountId: channel.account.id });
});

function fieldsOf({ parameters = [], requestBody }: Operation) {
  const body = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => phonesOf(schema, ''));
  const asked = parameters
    .filter(({ name }) => PHONES.test(name))
    .map(({ name, schema }) => ({ name, isWritten: schema['x-written-phone'] === true }));
  return [...asked, ...body];
}

function phonesOf(schema: Schema, at: string): { name: string; isWritten: boolean }[] {
  const parts = [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...parts.flatMap((part) => (part ? phonesOf(part, at) : [])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
      const own = PHONES.test(name) ? [{ name: at + name, isWritten: each['x-written-phone'] === true }] : [];
      return [...own, ...phonesOf(each, `${at}${name}.`)];
    }),
  ];
}

describe('phone numbers in the console', () => {
  it('use one schema in every field', () => {
    const others = found.filter(({ isWritten }) => !isWritten).map(({ place }) => place);
    expect(others.filter((place) => !TIMES.some((name) => place.includes(`/${name}`))).sort()).toEqual(
      [...OTHERS].sort(),
    );
    expect(found.filter(({ isWritten }) => isWritten).length).toBeGreaterThanOrEqual(9);
  });

  const base = () => `/accounts/${channel.account.id}`;
  const inChannel = () => `${base()}/channels/${channel.channelId}`;

  it('are accepted in any usual form with a plus sign, or as digits only', async () => {
    const forms = ['+1 (415) 555-2671', '+14155552672', '＋1 415.555.2673', '001 415 555 2674', '14155552675'];
    for (const [index, phone] of forms.entries()) {
      const made = await operator.ask('POST', `${inChannel()}/contacts`, { phone });
      expect(made.json().data.phone).toBe(`1415555267${index + 1}`);
    }
    const played = { from: '+1 (415) 555-2671', text: 'Hello' };
    expect((await operator.ask('POST', `${inChannel()}/simulator/inbound`, played)).statusCode).toBe(200);
    const optOut = { kind: 'sms', sender: 'ACME', phone: '+44 (0)7911 123456' };
    expect((await operator.ask('POST', `${base()}/opt-outs`, optOut)).statusCode).toBe(200);
    const listed = (await operator.ask('GET', `${base()}/opt-outs`)).json().data;
    expect(listed).toMatchObject([{ phone: '447911123456' }]);
    expect(
      (await operator.ask('POST', `${base()}/opt-outs/lift`, { ...optOut, phone: '447911123456' })).statusCode,
    ).toBe(200);
    const search = encodeURIComponent('+1 (415) 555-2671');
    expect((await operator.ask('GET', `${inChannel()}/contacts?search=${search}`)).json().total).toBe(1);
    expect((await operator.ask('GET', `${base()}/messages?to=${search}`)).statusCode).toBe(200);
  });

  it('are accepted in the variables of a campaign and in the trigger of an automation too', async () => {
    const lost = '01920000-0000-7000-8000-000000000001';
    const sale = { name: 'Sale', templateName: 'hello_world', language: 'en_US', groupId: lost };
    const campaign = { ...sale, memberVariables: [{ phone: '+1 (415) 555-2671', variables: {} }] };
    expect((await operator.ask('POST', `${inChannel()}/campaigns`, campaign)).statusCode).toBe(404);
    const bad = { ...sale, memberVariables: [{ phone: '(415) 555-2671', variables: {} }] };
    const refused = await operator.ask('POST', `${inChannel()}/campaigns`, bad);
    expect(refused.json().error.details).toMatchObject([{ field: 'memberVariables[0].phone' }]);
    const trigger = { phone: '+1 (415) 555-2671' };
    expect((await operator.ask('POST', `${inChannel()}/automations/${lost}/trigger`, trigger)).statusCode).toBe(404);
  });

  it.each(['(415) 555-2671', '415-555-2671', 'Ada'])('are refused as %s, with the accepted forms', async (phone) => {
    const refused = await operator.ask('POST', `${inChannel()}/contacts`, { phone });
    expect(refused.statusCode).toBe(400);
    expect(refused.json().error.details).toEqual([
      { field: 'phone', message: expect.stringContaining('with + and country code, such as +1 415 555 2671') },
    ]);
  });
});
