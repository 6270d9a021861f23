/** What a carrier must know of a channel, as the operator has set it; the carrier's type checks it. */
export type ChannelSettings = Readonly<Record<string, unknown>>;
