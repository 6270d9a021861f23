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

const PHONE_FIELD_NAME = /^(?:phone|phoneNumber|phone_number|to|from|number|recipient|msisdn|tel|mobile)$/i;

/** Fields that match `PHONE_FIELD_NAME` but are not phone numbers or have their own rules. */
const OTHER_FIELDS = [
  // Templates follow Meta's rules, which accept the same phone number formats.
  'POST /admin/v1/accounts/{accountId}/channels/{channelId}/templates components.buttons.phone_number',
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/templates/{templateId} components.buttons.phone_number',
  'POST /admin/v1/accounts/{accountId}/channels/{channelId}/templates components.cards.components.buttons.phone_number',
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/templates/{templateId} components.cards.components.buttons.phone_number',
  // The field `from` is a sender ID, which may consist of letters.
  'POST /admin/v1/carriers/{name}/try from',
  // The field `to` is the page to show after the sign-in.
  'POST /admin/v1/session/oidc to',
  // A search for a number may end with a wildcard.
  'GET /admin/v1/accounts/{accountId}/messages to',
  'GET /admin/v1/accounts/{accountId}/inbound from',
  'GET /admin/v1/accounts/{accountId}/inbound to',
  // Minutes of a day.
  'PATCH /admin/v1/accounts/{accountId}/settings quietHours.rules.windows.from',
  'PATCH /admin/v1/accounts/{accountId}/settings quietHours.rules.windows.to',
  // Numbers from a file are checked row by row, with the chosen country.
  'PUT /admin/v1/accounts/{accountId}/channels/{channelId}/imports/{id}/slices/{position} rows.phone',
];
/** Endpoints whose `from` and `to` are times. */
const TIME_RANGE_ENDPOINTS = ['overview', 'audit'];

const heliograph = sharedApp({ role: 'api' });
let phoneFields: { location: string; isWritten: boolean }[];
let channel: TestChannel;
let operator: TestOperator;

beforeAll(async () => {
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json() as {
    paths: Record<string, Record<string, Operation>>;
  };
  phoneFields = Object.entries(paths)
    .filter(([path]) => path.startsWith('/admin/v1'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, operation]) =>
        listPhoneFields(operation).map(({ name, isWritten }) => ({
          location: `${method.toUpperCase()} ${path} ${name}`,
          isWritten,
        })),
      ),
    );
  channel = await createTestChannel(heliograph.deps);
  operator = await createTestOperator(heliograph, { role: 'owner', accountId: channel.account.id });
});

function listPhoneFields({ parameters = [], requestBody }: Operation) {
  const body = Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => findPhoneFields(schema, ''));
  const parameterFields = parameters
    .filter(({ name }) => PHONE_FIELD_NAME.test(name))
    .map(({ name, schema }) => ({ name, isWritten: schema['x-written-phone'] === true }));
  return [...parameterFields, ...body];
}

function findPhoneFields(schema: Schema, prefix: string): { name: string; isWritten: boolean }[] {
  const parts = [schema.items, ...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
  return [
    ...parts.flatMap((part) => (part ? findPhoneFields(part, prefix) : [])),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const ownField = PHONE_FIELD_NAME.test(name)
        ? [{ name: prefix + name, isWritten: (property.items ?? property)['x-written-phone'] === true }]
        : [];
      return [...ownField, ...findPhoneFields(property, `${prefix}${name}.`)];
    }),
  ];
}

describe('phone numbers in the console', () => {
  it('use one schema in every field', () => {
    const otherFields = phoneFields.filter(({ isWritten }) => !isWritten).map(({ location }) => location);
    expect(
      otherFields.filter((location) => !TIME_RANGE_ENDPOINTS.some((name) => location.includes(`/${name}`))).sort(),
    ).toEqual([...OTHER_FIELDS].sort());
    expect(phoneFields.filter(({ isWritten }) => isWritten).length).toBeGreaterThanOrEqual(9);
  });

  const accountPath = () => `/accounts/${channel.account.id}`;
  const channelPath = () => `${accountPath()}/channels/${channel.channelId}`;

  it('are accepted in any usual format with a plus sign, or as digits only', async () => {
    const forms = ['+1 (415) 555-2671', '+14155552672', '＋1 415.555.2673', '001 415 555 2674', '14155552675'];
    for (const [index, phone] of forms.entries()) {
      const createResponse = await operator.ask('POST', `${channelPath()}/contacts`, { phone });
      expect(createResponse.json().data.phone).toBe(`1415555267${index + 1}`);
    }
    const inboundMessage = { from: '+1 (415) 555-2671', text: 'Hello' };
    expect((await operator.ask('POST', `${channelPath()}/simulator/inbound`, inboundMessage)).statusCode).toBe(200);
    const optOut = { kind: 'sms', sender: 'ACME', phone: '+44 (0)7911 123456' };
    expect((await operator.ask('POST', `${accountPath()}/opt-outs`, optOut)).statusCode).toBe(200);
    const listedOptOuts = (await operator.ask('GET', `${accountPath()}/opt-outs`)).json().data;
    expect(listedOptOuts).toMatchObject([{ phone: '447911123456' }]);
    expect(
      (await operator.ask('POST', `${accountPath()}/opt-outs/lift`, { ...optOut, phone: '447911123456' })).statusCode,
    ).toBe(200);
    const search = encodeURIComponent('+1 (415) 555-2671');
    expect((await operator.ask('GET', `${channelPath()}/contacts?search=${search}`)).json().total).toBe(1);
    expect((await operator.ask('GET', `${accountPath()}/messages?to=${search}`)).statusCode).toBe(200);
  });

  it('are accepted in campaign variables and automation triggers too', async () => {
    const unknownId = '01920000-0000-7000-8000-000000000001';
    const campaignBody = { name: 'Sale', templateName: 'hello_world', language: 'en_US', groupId: unknownId };
    const campaign = { ...campaignBody, memberVariables: [{ phone: '+1 (415) 555-2671', variables: {} }] };
    expect((await operator.ask('POST', `${channelPath()}/campaigns`, campaign)).statusCode).toBe(404);
    const invalidCampaign = { ...campaignBody, memberVariables: [{ phone: '(415) 555-2671', variables: {} }] };
    const refusal = await operator.ask('POST', `${channelPath()}/campaigns`, invalidCampaign);
    expect(refusal.json().error.details).toMatchObject([{ field: 'memberVariables[0].phone' }]);
    const trigger = { phone: '+1 (415) 555-2671' };
    expect((await operator.ask('POST', `${channelPath()}/automations/${unknownId}/trigger`, trigger)).statusCode).toBe(
      404,
    );
  });

  it.each(['(415) 555-2671', '415-555-2671', 'Ada'])(
    'are refused as %s with a list of the accepted formats',
    async (phone) => {
      const refusal = await operator.ask('POST', `${channelPath()}/contacts`, { phone });
      expect(refusal.statusCode).toBe(400);
      expect(refusal.json().error.details).toEqual([
        { field: 'phone', message: expect.stringContaining('with + and country code, such as +1 415 555 0123') },
      ]);
    },
  );
});
