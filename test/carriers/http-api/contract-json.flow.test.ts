import { describeVendor } from './vendor-contract.js';

const SECRET = 'a-word-of-our-own-4711';

describeVendor('an API of JSON without a preset', {
  settings: (stub) => ({
    url: `${stub.url}/v1/messages`,
    json: { to: '{to_plus}', from: '{from}', body: '{text}', parts: '{segments}', report: { url: '{receipt_url}' } },
    authentication: 'bearer',
    secret: 'key-of-the-account',
    success: 'status = 201 and data.id exists',
    idPath: 'data.id',
    codePath: 'error.code',
    messagePath: 'error.words',
    finalCodes: 'bad_number',
    throttledCodes: 'slow_down',
    publicUrl: 'http://heliograph.example',
    callbackSecret: SECRET,
    receiptItems: 'reports',
    receiptId: 'id',
    receiptStatus: 'state',
    receiptStates: { DONE: 'delivered', BAD: 'undelivered', WAY: 'none' },
    receiptCode: 'why',
  }),
  readSubmit: ({ path, headers, body }) => {
    if (path !== '/v1/messages' || headers.authorization !== 'Bearer key-of-the-account') return null;
    const { to, body: text, report } = JSON.parse(body);
    return { to: to.slice(1), text, receiptUrl: report.url };
  },
  acceptedAnswer: (id) => ({ status: 201, body: { data: { id } } }),
  refused: { status: 400, body: { error: { code: 'bad_number', words: 'no such number' } } },
  throttled: { status: 400, body: { error: { code: 'slow_down' } } },
  report: async ({ app }, receiptUrl, id, state) => {
    const isDelivered = state === 'delivered';
    const reports = [
      { id, state: 'way' },
      { id, state: isDelivered ? 'done' : 'bad', ...(!isDelivered && { why: 'absent' }) },
    ];
    return app.inject({
      method: 'POST',
      url: receiptUrl.replace('http://heliograph.example', ''),
      payload: { reports },
    });
  },
});
