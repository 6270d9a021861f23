import { describe, expect, it } from 'vitest';
import { toSearchQuery } from '../../console/src/pages/messages/find-query.js';
import { explainMessageError } from '../../src/carriers/message-error-texts.js';
import { STATUS } from '../../src/carriers/smpp/wire/command-status.js';

describe('explanations of error codes', () => {
  it('error codes of Heliograph and the simulator have explanations', () => {
    for (const code of ['OPTED_OUT', 'CANCELED', 'EXPIRED', 'ANSWER_LOST', 'SMSC_DOWN', 'UNREACHABLE']) {
      expect(explainMessageError(code), code).toMatchObject({
        meaning: expect.stringMatching(/\w\.$/),
        advice: expect.stringMatching(/\w\.$/),
      });
    }
  });

  it('SMPP statuses are explained under the names under which they are stored', () => {
    for (const code of ['ESME_RINVDSTADR', 'ESME_RTHROTTLED', 'ESME_RMSGQFUL']) {
      expect(Object.keys(STATUS)).toContain(code);
      expect(explainMessageError(code)).not.toBeNull();
    }
  });

  it('unknown codes and inherited property names have no explanation', () => {
    for (const code of ['ESME_RINVFOO', '', 'toString', 'constructor']) expect(explainMessageError(code)).toBeNull();
  });
});

describe('the message search', () => {
  it.each([
    ['', {}],
    ['  ', {}],
    ['+44 7911 123456', { to: '+44 7911 123456' }],
    ['4479*', { to: '4479*' }],
    ['*0123', { to: '*0123' }],
    ['order-4711', { reference: 'order-4711' }],
    ['0192F0C1-7d3a-7c2e-9b1a-2f6d1c0a4e55', { messageId: '0192F0C1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }],
  ])('the search %j becomes the query %j', (input, query) => {
    expect(toSearchQuery(input)).toEqual(query);
  });
});
