import { expect, it } from 'vitest';
import { MESSAGE_STATUSES as SHOWN } from '../../console/src/api/message-statuses.js';
import { MESSAGE_STATUSES } from '../../src/messages/message-status.js';

it('message lists can be filtered by every status, in the server’s order', () => {
  expect(SHOWN).toEqual(MESSAGE_STATUSES);
});
