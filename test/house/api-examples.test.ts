import { describe, expect, it } from 'vitest';
import { listMissing, readExamples, toFiles } from '../../scripts/lib/api-examples/files.mjs';
import { listOperations } from '../../scripts/lib/api-examples/player.mjs';
import { createStableValues } from '../../scripts/lib/api-examples/stable-values.mjs';
import { readBuiltOpenApi } from '../support/openapi-document.js';

interface Document {
  paths: Record<string, Record<string, { operationId?: string; responses: Record<string, unknown> }>>;
}

describe('docs/examples', () => {
  const document = readBuiltOpenApi<Document>();
  const examples = readExamples();

  it('has a successful example of every operation (otherwise: add a step to scripts/lib/api-examples/scenario)', () => {
    expect(listOperations(document).size).toBeGreaterThan(120);
    expect(listMissing(document, examples)).toEqual([]);
  });

  it('has no examples of operations or statuses that are not in the OpenAPI document', () => {
    const operations = listOperations(document);
    const unknown = Object.entries(examples).flatMap(([id, list]) =>
      list.filter(({ response }) => !(response.status in (operations.get(id)?.responses ?? {}))).map(() => id),
    );
    expect(unknown).toEqual([]);
  });

  it('is shown in the OpenAPI document', () => {
    const text = JSON.stringify(listOperations(document).get('sendSms'));
    expect(examples.sendSms?.length).toBeGreaterThan(1);
    for (const { title } of examples.sendSms ?? []) expect(text).toContain(JSON.stringify(title));
  });

  it('contains no real keys', () => {
    const text = [...toFiles(document, new Map(Object.entries(examples))).values()].join('');
    const secrets = text.match(/\b(?:whsec_|hg_live_|hg_secret_)[\w+/=-]*/g) ?? [];
    expect(secrets.length).toBeGreaterThan(3);
    expect(secrets.filter((secret) => !/_(?:Example)+\w*$/.test(secret))).toEqual([]);
  });
});

describe('createStableValues', () => {
  const startedAt = Date.parse('2026-05-06T07:08:09.000Z');
  const create = () =>
    createStableValues({ startedAt, baseUrl: 'http://127.0.0.1:1', receiverUrl: 'http://127.0.0.1:2' });
  const id = (digit: number) => `0192f0c1-7d3a-7c2e-9b1a-2f6d1c0a4e5${digit}`;

  it('replaces an ID by one that depends only on where it first appears', () => {
    const first = create().replace({ id: id(1) }, 'step') as { id: string };
    expect(first.id).not.toBe(id(1));
    expect(create().replace({ id: id(2) }, 'step')).toEqual(first);
    expect(create().replace({ id: id(1) }, 'other step')).not.toEqual(first);
  });

  it('replaces an ID in the same way with and without hyphens, and in a URL', () => {
    const values = create();
    const { sid, url } = values.replace(
      { sid: `SM${id(1).replaceAll('-', '')}`, url: `http://127.0.0.1:1/v2/messages/${id(1)}` },
      'step',
    ) as { sid: string; url: string };
    expect(url).toMatch(/^https:\/\/sms\.example\.com\/v2\/messages\/[0-9a-f-]{36}$/);
    expect(sid).toBe(`SM${url.slice(-36).replaceAll('-', '')}`);
  });

  it('keeps the distance of a time to the start of the run, without the time that requests take', () => {
    const at = (ms: number) => new Date(startedAt + ms).toISOString();
    const quick = create().replace({ createdAt: at(10), validUntil: at(7_200_010) }, 'step');
    expect(create().replace({ createdAt: at(90_000), validUntil: at(7_290_000) }, 'step')).toEqual(quick);
    expect(quick).toEqual({ createdAt: '2026-11-24T08:30:00.000Z', validUntil: '2026-11-24T10:30:00.000Z' });
  });

  it('keeps the start of a month the start of a month', () => {
    expect(create().replace({ resetAt: '2026-06-01T00:00:00.000Z' }, 'step')).toEqual({
      resetAt: '2026-12-01T00:00:00.000Z',
    });
  });

  it('keeps phone numbers, texts and prices', () => {
    const kept = { to: '14155550123', text: 'Hello', price: 0.01, parts: 2 };
    expect(create().replace(kept, 'step')).toEqual(kept);
  });
});
