import { beforeAll, describe, expect, it } from 'vitest';
import { createTestChannel, type TestChannel } from '../../support/channels.js';
import { sharedApp } from '../../support/suite.js';
import { readAccountState, SMS } from '../a/requests.js';

const heliograph = sharedApp({ role: 'api' });
let channel: TestChannel;

interface Operation {
  method: string;
  path: string;
  properties: string[];
  options: string[];
}
let operations: Operation[];

const OWN_API_PATH = /^\/(?:v1\.0|v2(?!\/Services\/)|api\/v1)\//;

beforeAll(async () => {
  channel = await createTestChannel(heliograph.deps);
  const { paths } = (await heliograph.app.inject({ url: '/openapi.json' })).json();
  operations = Object.entries(paths as Record<string, Record<string, never>>).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { schema } = (operation as { requestBody?: { content: Record<string, never> } }).requestBody?.content[
        'application/json'
      ] ?? { schema: undefined };
      if (!schema || !OWN_API_PATH.test(path)) return [];
      const { properties, required = [] } = schema as {
        properties: Record<string, { deprecated?: boolean }>;
        required?: string[];
      };
      const names = Object.keys(properties);
      return [
        {
          method,
          path,
          properties: names,
          options: names.filter((name) => !required.includes(name) && !properties[name]?.deprecated),
        },
      ];
    }),
  );
});

function request({ method, path }: Pick<Operation, 'method' | 'path'>, body: object) {
  const headers = path.startsWith('/v') ? channel.account.headers : channel.headers;
  return heliograph.app.inject({
    method: method.toUpperCase() as 'POST',
    url: path.replaceAll(/\{\w+\}/g, '0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e55'),
    headers: { ...headers } as Record<string, string>,
    payload: body,
  });
}

function makeMisspellings(name: string): string[] {
  const middle = Math.floor(name.length / 2);
  const [before, letter = '', next = '', after] = [
    name.slice(0, middle),
    name[middle],
    name[middle + 1],
    name.slice(middle + 2),
  ];
  return [
    `${before}${next}${after}`,
    `${before}${letter}q${next}${after}`,
    `${before}Q${next}${after}`,
    ...(letter === next ? [] : [`${before}${next}${letter}${after}`]),
    `${name}s`,
  ];
}

const countLetters = (name: string) => name.replaceAll(/[^a-z]/gi, '').length;

describe('a misspelled optional field', () => {
  it('is refused by every operation with the correct name', async () => {
    let checkedCount = 0;
    for (const operation of operations) {
      for (const option of operation.options) {
        for (const name of makeMisspellings(option)) {
          if (countLetters(name) < 6 || operation.properties.includes(name)) continue;
          const response = await request(operation, { [name]: 1 });
          const where = `${operation.method} ${operation.path} ${name}: ${response.body}`;
          expect(response.statusCode, where).toBe(400);
          expect(response.body, where).toContain(`${name} is not a field of this request; did you mean `);
          checkedCount++;
        }
      }
    }
    expect(operations.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/v1.0/sms/send', '/v2/send', '/v2/estimate', '/api/v1/campaigns']),
    );
    expect(checkedCount).toBeGreaterThan(200);
  });

  it('is ignored if the correct field is sent too, or if the name has fewer than six letters', async () => {
    for (const operation of operations) {
      for (const option of operation.options) {
        const [name = ''] = makeMisspellings(option);
        expect((await request(operation, { [option]: 1, [name]: 1 })).body).not.toContain(`${name} is not a field`);
        const shortName = option.slice(0, 5);
        if (operation.properties.includes(shortName)) continue;
        expect((await request(operation, { [shortName]: 1 })).body).not.toContain(`${shortName} is not a field`);
      }
    }
  });

  it('is refused in the format of each surface, and nothing is queued or charged', async () => {
    const stateBefore = await readAccountState(heliograph, channel.account);
    const rule = 'is not a field of this request; did you mean scheduled_at?';
    const v1Response = await request(
      { method: 'post', path: '/v1.0/sms/send' },
      { ...SMS, schedule_at: '2030-01-01T00:00:00Z' },
    );
    expect(v1Response.json()).toEqual({ status: 'error', message: `schedule_at ${rule}`, code: '400' });
    const v2Response = await request(
      { method: 'post', path: '/v2/send' },
      { ...SMS, schedule_at: null, scheduled_at: null },
    );
    expect(v2Response.json()).toEqual({
      status: 'error',
      message: `schedule_at ${rule}`,
      code: 400,
      data: { errors: [{ field: 'schedule_at', message: rule }] },
    });
    const b = await request(
      { method: 'post', path: '/api/v1/campaigns' },
      { name: 'x', scheduleAt: '2030-01-01T00:00:00Z' },
    );
    expect(b.statusCode).toBe(400);
    expect(b.json().error.details).toEqual([
      { field: 'scheduleAt', message: 'is not a field of this request; did you mean scheduledAt?' },
    ]);
    expect(await readAccountState(heliograph, channel.account)).toEqual(stateBefore);
  });
});

describe('the aliases of scheduled_at', () => {
  it.each(['send_at', 'sendAt', 'scheduleAt'])('%s is refused if the message can be scheduled', async (alias) => {
    for (const path of ['/v1.0/sms/send', '/v2/send', '/v2/estimate']) {
      const response = await request({ method: 'post', path }, { ...SMS, [alias]: '2030-01-01T00:00:00Z' });
      expect(response.statusCode).toBe(400);
      expect(response.json().message).toBe(`${alias} is not a field of this request; did you mean scheduled_at?`);
    }
    const body = { ...SMS, scheduled_at: new Date(Date.now() + 3_600_000).toISOString(), [alias]: 1 };
    expect((await request({ method: 'post', path: '/v2/send' }, body)).statusCode).toBe(200);
  });
});

describe('any other unknown field', () => {
  it('is ignored, even in template_data, components and metadata', async () => {
    const path = '/v2/send';
    const body = { ...SMS, callbacks: 'x', note: 1, schedule: 'x', metadata: { schedule_at: 'x', send_at: 'y' } };
    const acceptedResponse = await request({ method: 'post', path }, body);
    expect(acceptedResponse.statusCode, acceptedResponse.body).toBe(200);
    const template = { template_id: 'x', template_data: { nane: 'x', languages: 1, sendAt: 1, components: [] } };
    const sendResponse = await request(
      { method: 'post', path: '/v2/estimate' },
      { to: SMS.to, from: channel.phoneNumber, ...template },
    );
    expect(sendResponse.body).not.toContain('did you mean');
  });
});
