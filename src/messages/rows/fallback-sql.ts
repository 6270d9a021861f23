/** That no SMS is still to be made in the place of a message, of which it is made: `message` names its row in the statement. */
export const owesNoFallback = (message: string) =>
  `NOT EXISTS (SELECT FROM fallbacks f WHERE f.message_id = ${message}.id AND f.next_look IS NOT NULL)`;
