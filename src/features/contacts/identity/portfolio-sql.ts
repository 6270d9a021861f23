/** The portfolio of a channel, by how its carrier is set up; empty where that says none. @param channel its id, as SQL */
export function portfolioOf(channel: string): string {
  return `coalesce((SELECT cr.settings ->> 'portfolioId' FROM channels ch JOIN carriers cr ON cr.name = ch.carrier
    WHERE ch.id = ${channel}), '')`;
}

/** The condition that a row of `contact_identities` counts for a channel: what was noted before a portfolio was set does. */
export function ofPortfolio(channel: string): string {
  return `portfolio IN ('', ${portfolioOf(channel)})`;
}
