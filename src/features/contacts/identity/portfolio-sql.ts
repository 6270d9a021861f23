/** The portfolio of a channel, by how its carrier is set up; empty where that says none. @param channel its id, as SQL */
export function portfolioOf(channel: string): string {
  return `coalesce((SELECT cr.settings ->> 'portfolioId' FROM channels ch JOIN carriers cr ON cr.name = ch.carrier
    WHERE ch.id = ${channel}), '')`;
}

/**
 * The id of the contact that a number leads to: it has it, or it is a further one of its. The second look is made where the first
 * finds nothing.
 * @param channel its id, as SQL
 * @param phone as SQL
 * @param account that of the channel, as SQL, where it is known: then no other's contacts are looked at
 */
export function contactOf(channel: string, phone: string, account?: string): string {
  const own = account === undefined ? '' : ` AND h.account_id = ${account}`;
  return `coalesce((SELECT h.id FROM contacts h WHERE h.channel_id = ${channel} AND h.phone = ${phone}${own}),
    (SELECT h.contact_id FROM contact_identities h WHERE h.channel_id = ${channel} AND h.portfolio = '' AND h.user_id = ${phone}))`;
}

/** The condition that a row of `contact_identities` counts for a channel: what was noted before a portfolio was set does. */
export function ofPortfolio(channel: string): string {
  return `portfolio IN ('', ${portfolioOf(channel)})`;
}
