/**
 * Replies and opt-outs count as responses to a campaign if they arrive within this many days after the carrier accepted the
 * message, and before the same person gets a message of another campaign on the channel.
 */
export const RESPONSE_WINDOW_DAYS = 7;

/** If the carrier reports times in whole seconds, the window starts with the second of the message. */
const isInWindowSql = (moment: string) =>
  `${moment} >= CASE ${moment} WHEN date_trunc('second', ${moment}) THEN date_trunc('second', m.sent_at) ELSE m.sent_at END
   AND ${moment} < m.sent_at + interval '${RESPONSE_WINDOW_DAYS} days'
   AND NOT EXISTS (SELECT FROM messages later WHERE later.conversation_id = m.conversation_id AND later.id > m.id
                     AND later.campaign_id <> m.campaign_id AND later.sent_at <= ${moment})`;

/** SQL for the time of the first reply to a campaign's message `m`. */
export const REPLIED_AT = `(SELECT min(i.received_at) FROM inbound_messages i
  WHERE i.conversation_id = m.conversation_id AND ${isInWindowSql('i.received_at')})`;

/**
 * SQL for the time at which the recipient of a campaign's message `m` opted out. Null again once the person opts in.
 * @param sender SQL expression for the value of `toOptOutSender`
 */
export const buildOptedOutAt = (sender: string) => `(SELECT o.decided_at FROM opt_outs o
  WHERE o.account_id = m.account_id AND o.kind = m.kind AND o.sender = ${sender} AND o.phone = m.recipient AND o.is_active
    AND ${isInWindowSql('o.decided_at')})`;

/** SQL for the time at which a person first clicked a short link of the message `m`. */
export const CLICKED_AT = '(SELECT min(l.first_clicked_at) FROM links l WHERE l.message_id = m.id)';
