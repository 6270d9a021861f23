import { expect, it } from 'vitest';
import { createTestChannel } from '../../support/channels.js';
import { callGraph, graphIdsOf, tokenOf } from '../../support/graph-calls.js';
import { sharedApp } from '../../support/suite.js';

const heliograph = sharedApp();

/** The smallest picture: a GIF is none that WhatsApp takes, a PNG of one point is. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

it('a file is uploaded, told of, downloaded with the same token, and deleted', async () => {
  const channel = await createTestChannel(heliograph.deps);
  const { phoneNumberId } = await graphIdsOf(heliograph, channel);
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('type', 'image/png');
  form.set('file', new File([PNG], 'point.png', { type: 'image/png' }));
  const encoded = new Response(form);
  const uploaded = await heliograph.app.inject({
    method: 'POST',
    url: `/graph/v26.0/${phoneNumberId}/media`,
    headers: {
      authorization: `Bearer ${tokenOf(channel)}`,
      'content-type': encoded.headers.get('content-type') ?? '',
    },
    payload: Buffer.from(await encoded.arrayBuffer()),
  });
  expect(uploaded.statusCode, uploaded.body).toBe(200);
  const { id } = uploaded.json();
  const get = (path: string, from = channel) => callGraph(heliograph, from, 'GET', path);

  const told = (await get(`/${id}`)).json();
  expect(told).toEqual({
    id,
    messaging_product: 'whatsapp',
    url: expect.stringMatching(new RegExp(`^http://.+/graph/v26\\.0/${id}/file$`)),
    mime_type: 'image/png',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    file_size: String(PNG.length),
  });
  const file = await get(`/${id}/file`);
  expect(file.headers['content-type']).toBe('image/png');
  expect(file.rawPayload.equals(PNG)).toBe(true);
  expect((await heliograph.app.inject({ url: new URL(told.url).pathname })).statusCode).toBe(401);

  const other = await createTestChannel(heliograph.deps);
  for (const path of [`/${id}`, `/${id}/file`]) {
    const foreign = await get(path, other);
    expect([foreign.statusCode, foreign.json().error]).toMatchObject([400, { code: 100, error_subcode: 33 }]);
  }
  expect((await callGraph(heliograph, other, 'DELETE', `/${id}`)).statusCode).toBe(400);
  expect((await callGraph(heliograph, channel, 'DELETE', `/${id}`)).json()).toEqual({ success: true });
  expect((await get(`/${id}`)).statusCode).toBe(400);
});
