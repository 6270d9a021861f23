import { describe, expect, it } from 'vitest';
import { findQuery } from '../../console/src/pages/messages/find-query.js';
import { explain } from '../../console/src/text/message-errors.js';
import { STATUS } from '../../src/carriers/smpp/wire/command-status.js';

describe('the words for error codes', () => {
  it('know what Heliograph itself and the simulator say', () => {
    for (const code of ['OPTED_OUT', 'CANCELED', 'EXPIRED', 'ANSWER_LOST', 'SMSC_DOWN', 'UNREACHABLE']) {
      expect(explain(code), code).toMatchObject({
        meaning: expect.stringMatching(/\w\.$/),
        advice: expect.stringMatching(/\w\.$/),
      });
    }
  });

  it('name statuses of SMPP as they are stored', () => {
    for (const code of ['ESME_RINVDSTADR', 'ESME_RTHROTTLED', 'ESME_RMSGQFUL']) {
      expect(Object.keys(STATUS)).toContain(code);
      expect(explain(code)).not.toBeNull();
    }
  });

  it('leave what they do not know to its own words, and take nothing from the prototype', () => {
    for (const code of ['ESME_RINVFOO', '', 'toString', 'constructor']) expect(explain(code)).toBeNull();
  });
});

describe('what is typed into the search of messages', () => {
  it.each([
    ['', {}],
    ['  ', {}],
    ['+44 7911 123456', { to: '+44 7911 123456' }],
    ['4479*', { to: '4479*' }],
    ['*0123', { to: '*0123' }],
    ['order-4711', { reference: 'order-4711' }],
    ['0192F0C1-7d3a-7c2e-9b1a-2f6d1c0a4e55', { messageId: '0192F0C1-7d3a-7c2e-9b1a-2f6d1c0a4e55' }],
  ])('%j asks for %j', (typed, query) => {
    expect(findQuery(typed)).toEqual(query);
  });
});
