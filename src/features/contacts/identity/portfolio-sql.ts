/** The SQL expression for the business portfolio in the carrier settings of a channel; '' without one. @param channel its ID */
export function portfolioOf(channel: string): string {
  return `coalesce((SELECT cr.settings ->> 'portfolioId' FROM channels ch JOIN carriers cr ON cr.name = ch.carrier
    WHERE ch.id = ${channel}), '')`;
}

/**
 * The SQL expression for the ID of the contact with a number, as its main or else a further number. All parameters are SQL.
 * @param account restricts the search to contacts of this account
 */
export function contactOf(channel: string, phone: string, account?: string): string {
  const inAccount = account === undefined ? '' : ` AND h.account_id = ${account}`;
  return `coalesce((SELECT h.id FROM contacts h WHERE h.channel_id = ${channel} AND h.phone = ${phone}${inAccount}),
    (SELECT h.contact_id FROM contact_identities h WHERE h.channel_id = ${channel} AND h.portfolio = '' AND h.user_id = ${phone}))`;
}

/** The SQL condition that a row of `contact_identities` applies to a channel. Rows from before the portfolio was set do. */
export function ofPortfolio(channel: string): string {
  return `portfolio IN ('', ${portfolioOf(channel)})`;
}
