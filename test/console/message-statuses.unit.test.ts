import { expect, it } from 'vitest';
import { MESSAGE_STATUSES as SHOWN } from '../../console/src/api/message-statuses.js';
import { MESSAGE_STATUSES } from '../../src/messages/message-status.js';

it('lists of messages can be narrowed to every status, in the order of their way', () => {
  expect(SHOWN).toEqual(MESSAGE_STATUSES);
});
